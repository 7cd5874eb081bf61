const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const
export const durationPattern = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/
const partPattern = /(\d+(?:\.\d+)?)(ms|s|m|h)/gy

/** Milliseconds of `5s`, `2m`, `1h30m`, `250ms`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined
  let ms = 0
  for (const [, amount, unit] of text.matchAll(partPattern)) ms += Number(amount) * unitMs[unit as keyof typeof unitMs]
  return ms
}

/** The shortest way of writing `ms` that parses back: 5400000 is `1h30m`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s'
  let rest = ms
  let text = ''
  for (const unit of ['h', 'm', 's', 'ms'] as const) {
    const count = Math.floor(rest / unitMs[unit])
    if (count > 0) text += `${count}${unit}`
    rest -= count * unitMs[unit]
  }
  return text
}
