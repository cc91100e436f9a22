// Draws the icons of the installed page from the logo and writes them to style/icon-*.png. Run this script after the
// logo has changed.
import { writeFile } from "node:fs/promises";
import { launch } from "./lib.mjs";

/**
 * Returns an SVG of the logo on a dark background. `reach` is the share of the side that the logo fills (systems may
 * cut the outer fifth off a maskable icon). `radius` is the corner radius as a share of the side.
 */
const logoSvg = (size, reach, radius) => {
  const scale = (size * reach) / 26;
  const offset = (size - 32 * scale) / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">
    <rect width="${size}" height="${size}" rx="${size * radius}" fill="#14171a"/>
    <g transform="translate(${offset} ${offset - 0.5 * scale}) scale(${scale})">
      <path d="M3 28L14 11H29" fill="none" stroke="#e9ebee" stroke-width="4" stroke-linejoin="round" stroke-linecap="round"/>
      <path d="M13.5 24L19.4 15H28L22.1 24Z" fill="#f2b01e"/>
    </g>
  </svg>`;
};

const browser = await launch({ isOptimised: true });
for (const [name, size, reach, radius] of [["icon-192", 192, 0.68, 0.22], ["icon-512", 512, 0.68, 0.22], ["icon-maskable-512", 512, 0.52, 0]]) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>*{margin:0;display:block}</style>${logoSvg(size, reach, radius)}`);
  await writeFile(new URL(`../../style/${name}.png`, import.meta.url), await page.screenshot({ omitBackground: true }));
  await page.close();
}
await browser.close();
