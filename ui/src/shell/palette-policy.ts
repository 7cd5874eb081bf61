import type { PaletteCommand } from '../plugin-ui.ts'

const foundMax = 30

/** The commands with every word of the text in their label or keywords; those whose label starts with the text come first. */
export function filterCommands(commands: readonly PaletteCommand[], text: string): readonly PaletteCommand[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return commands
    .flatMap((command, at) => {
      const label = command.label.toLowerCase()
      const all = `${label} ${command.keywords?.toLowerCase() ?? ''}`
      return words.every((word) => all.includes(word)) ? [{ command, at, isFirst: label.startsWith(words.join(' ')) }] : []
    })
    .sort((a, b) => Number(b.isFirst) - Number(a.isFirst) || a.at - b.at)
    .slice(0, foundMax)
    .map(({ command }) => command)
}
