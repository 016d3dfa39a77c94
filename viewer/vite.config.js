// One HTML file: scripts and styles go into the page, and the page goes where the Python package finds it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
const target = resolve(here, "../src/linkwork/view/page.html");

function onePage() {
  return {
    name: "one-page",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      let html = String(page.source).replace(/<script[^>]*src="[^"]*"[^>]*><\/script>/g, "").replace(/<link[^>]*stylesheet[^>]*>/g, "");
      const files = Object.values(bundle);
      const styles = files.filter((f) => f.fileName.endsWith(".css")).map((f) => String(f.source)).join("\n");
      const script = files.filter((f) => f.type === "chunk").map((f) => f.code).join("\n").replaceAll("</script", "<\\/script");
      html = html.replace("</head>", () => `<style>${styles}</style></head>`);
      html = html.replace("</body>", () => `<script type="module">${script}</script></body>`);
      for (const name of Object.keys(bundle)) delete bundle[name];
      this.emitFile({ type: "asset", fileName: "page.html", source: html });
    },
    closeBundle() {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, readFileSync(resolve(here, "dist/page.html")));
    },
  };
}

export default defineConfig({
  base: "./",
  build: { target: "es2022", assetsInlineLimit: 1e8, cssCodeSplit: false, modulePreload: false, chunkSizeWarningLimit: 2000, reportCompressedSize: false },
  plugins: [onePage()],
});
