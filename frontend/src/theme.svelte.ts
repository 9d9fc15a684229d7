// Light or dark: as the system has it, until somebody says otherwise.
const asked = matchMedia("(prefers-color-scheme: dark)");

class Theme {
  own = $state(localStorage.getItem("jourdain theme") ?? "");
  private system = $state(asked.matches);

  constructor() {
    asked.addEventListener("change", (e) => (this.system = e.matches));
  }

  get dark(): boolean {
    return this.own ? this.own === "dark" : this.system;
  }

  toggle(): void {
    this.own = this.dark ? "light" : "dark";
    localStorage.setItem("jourdain theme", this.own);
  }
}

export const theme = new Theme();
