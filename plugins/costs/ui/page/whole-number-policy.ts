/** Whole numbers that an operator types. Pure. */

/** Returns undefined for what is no whole number within the limits. Ignores spaces, commas and underscores between digits. */
export function readWhole(text: string, { min, max }: { readonly min: number; readonly max: number }): number | undefined {
  const digits = text.trim().replaceAll(/[\s,_]/g, '')
  if (!/^\d{1,16}$/.test(digits)) return undefined
  const value = Number(digits)
  return value >= min && value <= max ? value : undefined
}

export const sizeUnits = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const

export type SizeUnit = keyof typeof sizeUnits
