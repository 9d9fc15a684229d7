// The page of animations: player/page.html with the program of src/player.ts in it, as one file.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
export const COMMITTED = join(here, "..", "src", "jourdain", "plotting", "page.html");

export async function player() {
  const made = await build({
    configFile: false,
    root: here,
    logLevel: "warn",
    build: {
      write: false,
      target: "es2022",
      lib: { entry: join(here, "src", "player.ts"), formats: ["iife"], name: "player", fileName: "player" },
    },
  });
  const code = [made].flat()[0].output[0].code;
  if (/<\/script|<!--|@TITLE@|@DATA@/.test(code)) throw new Error("the program cannot stand in a page");
  return readFileSync(join(here, "player", "page.html"), "utf8").replace("@CODE@", () => code);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(COMMITTED, await player());
