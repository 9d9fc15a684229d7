// Builds the page into a folder of its own and compares it with the committed one, byte by byte.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const MOST = 500_000; // bytes, compressed
const here = dirname(fileURLToPath(import.meta.url));
const committed = join(here, "..", "src", "jourdain", "studio", "page");
const fresh = mkdtempSync(join(tmpdir(), "jourdain-page-"));
const files = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .sort();

try {
  execFileSync(process.execPath, [join(here, "node_modules", "vite", "bin", "vite.js"), "build", "--outDir", fresh, "--logLevel", "warn"], {
    cwd: here,
    stdio: "inherit",
  });
  const [ours, theirs] = [files(committed), files(fresh)];
  const other = [...new Set([...ours, ...theirs])].filter(
    (name) => !ours.includes(name) || !theirs.includes(name) || !readFileSync(join(committed, name)).equals(readFileSync(join(fresh, name))),
  );
  const size = ours.reduce((sum, name) => sum + gzipSync(readFileSync(join(committed, name)), { level: 9 }).length, 0);
  if (other.length) {
    console.error(`page: ${other.join(", ")} is not what frontend/ gives; run: make page, and commit`);
    process.exitCode = 1;
  } else if (size > MOST) {
    console.error(`page: ${size} bytes compressed, more than ${MOST}`);
    process.exitCode = 1;
  } else console.log(`page: what is committed is what frontend/ gives, ${Math.round(size / 1000)} kB compressed`);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
