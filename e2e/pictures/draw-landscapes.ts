/** Photographs for the bucket of photographs: landscapes that the browser draws, each one from its number. */
import { chromium } from 'playwright-core'
import { browserAdvice, findBrowser } from '../ui/fixtures/find-browser.ts'

/** Runs in a page. Draws sky, sun, ridges and grain on a canvas; returns a JPEG in base64. */
const draw = `(number) => {
  let state = number * 2654435761 % 4294967296
  const random = () => { state = (state * 1664525 + 1013904223) % 4294967296; return state / 4294967296 }
  const [width, height] = [1200, 800]
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const pen = canvas.getContext('2d')
  const hue = 190 + random() * 40, dawn = 10 + random() * 40
  const sky = pen.createLinearGradient(0, 0, 0, height * 0.75)
  sky.addColorStop(0, 'hsl(' + hue + ' 45% 38%)')
  sky.addColorStop(0.55, 'hsl(' + hue + ' 45% 68%)')
  sky.addColorStop(1, 'hsl(' + dawn + ' 75% 76%)')
  pen.fillStyle = sky
  pen.fillRect(0, 0, width, height)
  const [x, y] = [width * (0.2 + random() * 0.6), height * (0.3 + random() * 0.2)]
  const sun = pen.createRadialGradient(x, y, 8, x, y, 240)
  sun.addColorStop(0, 'hsla(45 100% 92% / 1)')
  sun.addColorStop(0.12, 'hsla(45 100% 85% / 0.9)')
  sun.addColorStop(1, 'hsla(40 100% 75% / 0)')
  pen.fillStyle = sun
  pen.fillRect(0, 0, width, height)
  for (let ridge = 0; ridge < 5; ridge++) {
    const base = height * (0.46 + ridge * 0.11), rough = 90 - ridge * 12
    const waves = [1, 2, 4, 9, 17].map((of) => [of, random() * 7, rough / of * (0.6 + random())])
    pen.beginPath()
    pen.moveTo(0, height)
    for (let at = 0; at <= width; at += 4) {
      pen.lineTo(at, base - waves.reduce((sum, [of, phase, size]) => sum + Math.sin(at / width * of * 5 + phase) * size * 0.5, 0))
    }
    pen.lineTo(width, height)
    pen.fillStyle = 'hsl(' + (hue - ridge * 14) + ' ' + (26 + ridge * 4) + '% ' + (56 - ridge * 11) + '%)'
    pen.fill()
  }
  const pixels = pen.getImageData(0, 0, width, height)
  for (let at = 0; at < pixels.data.length; at += 4) {
    const grain = (random() - 0.5) * 14
    for (const of of [0, 1, 2]) pixels.data[at + of] += grain
  }
  pen.putImageData(pixels, 0, 0)
  return canvas.toDataURL('image/jpeg', 0.82).split(',')[1]
}`

export async function drawLandscapes(count: number): Promise<readonly Buffer[]> {
  const found = await findBrowser()
  if (!found) throw new Error(browserAdvice)
  const browser = await chromium.launch({ executablePath: found.executablePath, args: [...found.args] })
  try {
    const page = await browser.newPage()
    const drawn: Buffer[] = []
    for (let number = 1; number <= count; number++) {
      drawn.push(Buffer.from((await page.evaluate(`(${draw})(${number})`)) as string, 'base64'))
    }
    return drawn
  } finally {
    await browser.close()
  }
}
