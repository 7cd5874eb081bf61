import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

type Color = readonly [lightness: number, chroma: number, hue: number]

/** Opaque colours of one block of the file. */
function readColors(selector: string): ReadonlyMap<string, Color> {
  const start = css.indexOf(`\n${selector} {`)
  const block = css.slice(start, css.indexOf('\n}', start))
  const pattern = /--([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\);/g
  return new Map([...block.matchAll(pattern)].map(([, name = '', l, c, h]) => [name, [Number(l), Number(c), Number(h)] as const]))
}

/** Relative luminance of WCAG: oklch to linear sRGB, cut to its limits as a browser does. */
function toLuminance([lightness, chroma, hue]: Color): number {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s
  const green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s
  const blue = -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s
  const cut = (value: number) => Math.min(1, Math.max(0, value))
  return 0.2126 * cut(red) + 0.7152 * cut(green) + 0.0722 * cut(blue)
}

function contrastOf(one: Color, other: Color): number {
  const [dark = 0, light = 0] = [toLuminance(one), toLuminance(other)].sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

test('black on white has the greatest contrast', () => {
  expect(contrastOf([0, 0, 0], [1, 0, 0])).toBeCloseTo(21, 3)
})

const tones = ['success', 'warning', 'danger', 'info', 'neutral']
const grounds = ['bg', 'panel', 'sunken']
const texts = [
  ...['fg', 'muted', 'accent', ...tones].flatMap((text) => grounds.map((ground) => [text, ground] as const)),
  ...tones.flatMap((tone) => [[tone, `${tone}-soft`] as const, ['fg', `${tone}-soft`] as const]),
  ['fg', 'accent-soft'],
  ['muted', 'accent-soft'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
] as const

describe.each([':root', '.dark'])('colours of %s', (selector) => {
  const colors = readColors(selector)
  const find = (name: string): Color => {
    const color = colors.get(name)
    if (!color) throw new Error(`tokens.css has no --${name} in ${selector}.`)
    return color
  }

  test.each(texts)('text %s on %s has a contrast of at least 4.5', (text, ground) => {
    expect(contrastOf(find(text), find(ground))).toBeGreaterThanOrEqual(4.5)
  })

  test.each(['danger-solid', 'danger-solid-hover'])('white text on %s has a contrast of at least 4.5', (ground) => {
    expect(contrastOf([1, 0, 0], find(ground))).toBeGreaterThanOrEqual(4.5)
  })

  test.each(['control', 'c1', 'accent'])('the edge or line %s has a contrast of at least 3 on a panel', (name) => {
    expect(contrastOf(find(name), find('panel'))).toBeGreaterThanOrEqual(3)
  })
})
