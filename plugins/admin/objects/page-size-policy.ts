const pageSizes = { usual: 50, max: 1000 } as const

/** Any other value than 1 to 1000 means the default: dashboards rely on it. */
export function readPageSize(text: string | undefined): number {
  const size = Number(text)
  return size <= pageSizes.max ? readPageLimit(text) : pageSizes.usual
}

/** A limit above the maximum is cut to it; anything but a positive integer means the default. */
export function readPageLimit(text: string | undefined): number {
  const size = Number(text)
  return Number.isInteger(size) && size >= 1 ? Math.min(size, pageSizes.max) : pageSizes.usual
}
