import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { defineErrors } from '../errors.ts'

/** Work factors of scrypt. Memory: 128 × 2^ln × r bytes. */
interface PasswordCost {
  readonly ln: number
  readonly r: number
  readonly p: number
}

/** 32 MiB and about 0.25 s: the OWASP parameters with the least memory that still resist GPUs. */
const defaultCost: PasswordCost = { ln: 15, r: 8, p: 3 }
/** A hash in a configuration file may not require more than 1 GiB. */
const memoryBytesMax = 2 ** 30
const saltBytes = 16
const keyBytes = 32
/** Longest queue of waiting verifications. */
const waitingMax = 256

const passwordErrors = defineErrors({
  password_checks_busy: { status: 503, message: 'Too many sign-ins at the same time; try again in a moment.' },
})

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** Makes `$scrypt$ln=15,r=8,p=3$<salt>$<key>`: the text contains all parameters of a later verification. */
export async function hashPassword(password: string, cost: PasswordCost = defaultCost): Promise<string> {
  const salt = randomBytes(saltBytes)
  const key = await derive(password.normalize('NFC'), salt, keyBytes, scryptOptions(cost))
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${salt.toString('base64url')}$${key.toString('base64url')}`
}

const form = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]{43})$/

/** Takes the same time for right and wrong passwords. Throws when the hash is not one of hashPassword's. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const { cost, salt, key } = readHash(hash)
  const derived = await takeProcessor(() => derive(password.normalize('NFC'), salt, keyBytes, scryptOptions(cost)))
  return timingSafeEqual(derived, key)
}

/** The problem of a stored hash, or undefined. */
export function explainBadHash(hash: string): string | undefined {
  try {
    readHash(hash)
    return undefined
  } catch (error) {
    // Only the message is needed.
    return (error as Error).message
  }
}

function readHash(hash: string): { readonly cost: PasswordCost; readonly salt: Buffer; readonly key: Buffer } {
  const parts = form.exec(hash)
  if (!parts) throw new Error('the password hash has an unknown form; write a new one with `svc admin-auth reset-password`')
  const [, ln, r, p, salt = '', key = ''] = parts
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) }
  if (128 * 2 ** cost.ln * cost.r > memoryBytesMax) throw new Error('the password hash requires more than 1 GiB of memory')
  return { cost, salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url') }
}

function scryptOptions({ ln, r, p }: PasswordCost): ScryptOptions {
  const N = 2 ** ln
  // Node needs slightly more memory than the table itself.
  return { N, r, p, maxmem: 128 * r * (N + p + 2) + 2 ** 20 }
}

const processors = availableParallelism()
let busy = 0
const waiting: (() => void)[] = []

/** Bounds concurrent verifications, so that parallel guesses do not occupy the whole thread pool. */
async function takeProcessor<T>(work: () => Promise<T>): Promise<T> {
  if (busy >= processors) {
    if (waiting.length >= waitingMax) throw passwordErrors.password_checks_busy({ retryAfterSeconds: 1 })
    await new Promise<void>((resume) => waiting.push(resume))
  } else busy++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    // Hand the slot over so newcomers cannot overtake.
    if (next) next()
    else busy--
  }
}
