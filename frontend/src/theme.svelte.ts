// Light or dark: as the system has it, until somebody says otherwise.
const asked = matchMedia("(prefers-color-scheme: dark)");

/** What the browser remembers of us; in a frame of another page it may refuse to. */
export function remembered(key: string): string {
  try {
    return localStorage.getItem(`jourdain ${key}`) ?? "";
  } catch {
    return "";
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`jourdain ${key}`, value);
  } catch {
    // then it is so until the page is left
  }
}

class Theme {
  own = $state(remembered("theme"));
  private system = $state(asked.matches);

  constructor() {
    asked.addEventListener("change", (e) => (this.system = e.matches));
  }

  get dark(): boolean {
    return this.own ? this.own === "dark" : this.system;
  }

  toggle(): void {
    this.own = this.dark ? "light" : "dark";
    remember("theme", this.own);
  }
}

export const theme = new Theme();
