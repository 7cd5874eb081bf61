import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Plugin } from 'vite'
import { iconNames } from '../src/kit/icon-names.ts'

const virtual = 'virtual:svc-icons'

type IconNode = readonly [tag: string, attributes: Readonly<Record<string, string>>]

/** A module with the path data of the icons in icon-names.ts: all 1,900 of the package would be 800 KB. */
export const icons = (): Plugin => ({
  name: 'svc-icons',
  enforce: 'pre',
  resolveId: (id) => (id === virtual ? `\0${virtual}` : undefined),
  load: (id) => (id === `\0${virtual}` ? `export const iconPaths = ${JSON.stringify(readIconPaths(iconNames))}\n` : undefined),
})

/** @throws when the package has no such icon */
export function readIconPaths(names: readonly string[]): Readonly<Record<string, string>> {
  const path = createRequire(import.meta.url).resolve('lucide-static/icon-nodes.json')
  const all: Readonly<Record<string, readonly IconNode[]>> = JSON.parse(readFileSync(path, 'utf8'))
  return Object.fromEntries(
    names.map((name) => {
      const nodes = all[name]
      if (!nodes) throw new Error(`lucide-static has no icon "${name}". Remove it from ui/src/kit/icon-names.ts.`)
      return [name, nodes.map(([tag, attributes]) => toPath(tag, attributes)).join('')]
    }),
  )
}

/** Every shape as path data, so that an icon is one element. */
export function toPath(tag: string, attributes: Readonly<Record<string, string>>): string {
  const at = (name: string, fallback = 0) => Number(attributes[name] ?? fallback)
  // A path that starts with a relative move starts at 0 0 only when it is the first.
  if (tag === 'path') return `M0 0${attributes.d ?? ''}`
  if (tag === 'line') return `M${at('x1')} ${at('y1')}L${at('x2')} ${at('y2')}`
  if (tag === 'circle') return ellipse(at('cx'), at('cy'), at('r'), at('r'))
  if (tag === 'ellipse') return ellipse(at('cx'), at('cy'), at('rx'), at('ry'))
  if (tag === 'polyline') return `M${attributes.points}`
  if (tag === 'polygon') return `M${attributes.points}z`
  if (tag === 'rect') return rectangle(at)
  throw new Error(`Unknown shape in an icon: ${tag}. Add it to ui/build/icons.ts.`)
}

const ellipse = (x: number, y: number, rx: number, ry: number) =>
  `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0`

function rectangle(at: (name: string, fallback?: number) => number): string {
  const [width, height] = [at('width'), at('height')]
  const rx = at('rx', at('ry'))
  const ry = at('ry', rx)
  const arc = (x: number, y: number) => (rx === 0 ? '' : `a${rx} ${ry} 0 0 1 ${x} ${y}`)
  return `M${at('x') + rx} ${at('y')}h${width - 2 * rx}${arc(rx, ry)}v${height - 2 * ry}${arc(-rx, ry)}h${2 * rx - width}${arc(-rx, -ry)}v${2 * ry - height}${arc(rx, -ry)}z`
}
