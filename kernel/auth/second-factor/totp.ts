/** Time-based one-time passwords (RFC 6238): SHA-1, six digits, 30 seconds, as every authenticator app has them. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const totpStepSeconds = 30
const digits = 6
/** Steps before and after the present one whose codes are accepted, for clocks that differ. */
const window = [-1, 0, 1] as const

export const totpStep = (nowMs: number): number => Math.floor(nowMs / 1000 / totpStepSeconds)

export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) as number) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step of the code, if it is one of the accepted steps after `lastStep`. Compares with all of them, so that the time reveals nothing. */
export function findTotpStep(
  secret: Buffer,
  code: string,
  { nowMs, lastStep }: { readonly nowMs: number; readonly lastStep: number },
): number | undefined {
  const present = totpStep(nowMs)
  const given = Buffer.from(/^\d{6}$/.test(code) ? code : 'x'.repeat(digits))
  let found: number | undefined
  for (const offset of window) {
    const step = present + offset
    const isSame = timingSafeEqual(given, Buffer.from(totpCode(secret, step)))
    // A code that was used, and those before it, are never accepted again.
    if (isSame && step > lastStep) found = step
  }
  return found
}
