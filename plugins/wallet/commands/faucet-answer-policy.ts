/** Parses responses of the calibration faucets. Their formats differ, and a failure may have any status. */
import { onOneLine } from '#cli'

export const faucetAssets = ['CalibnetUSDFC', 'CalibnetFIL'] as const
export type FaucetAsset = (typeof faucetAssets)[number]

export interface Claim {
  readonly asset: FaucetAsset
  readonly txHash?: string
  readonly error?: string
}

interface FaucetAnswer {
  readonly claims: readonly Claim[]
  /** Why the faucet sent nothing. */
  readonly error?: string
}

const names: Readonly<Record<string, FaucetAsset>> = {
  calibnetusdfc: 'CalibnetUSDFC',
  usdfc: 'CalibnetUSDFC',
  calibnetfil: 'CalibnetFIL',
  fil: 'CalibnetFIL',
  tfil: 'CalibnetFIL',
}
const hashPattern = /^[0-9A-Za-z]{8,128}$/
const errorCharsMax = 200

type Json = Readonly<Record<string, unknown>>

/** Accepts `[…]`, `{result: […]}` and `{error: {message, cause: […]}}` with items `{faucetInfo | faucet_info, tx_hash | error}`. */
export function readFaucetAnswer(text: string, status: number): FaucetAnswer {
  const value = parse(text)
  const isFailure = status < 200 || status > 299
  const whole = isObject(value) ? errorOf(value.error) : undefined
  const claims = itemsOf(value).flatMap(readClaim)
  const error = whole ?? (isFailure ? `the faucet answered ${status}` : undefined)
  if (error !== undefined) return { claims, error }
  return claims.length > 0 ? { claims } : { claims, error: 'the response of the faucet cannot be parsed' }
}

function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return []
  if (Array.isArray(value.result)) return value.result
  const { error } = value
  return isObject(error) && Array.isArray(error.cause) ? error.cause : []
}

function readClaim(item: unknown): readonly Claim[] {
  if (!isObject(item)) return []
  const asset = names[String(item.faucetInfo ?? item.faucet_info).toLowerCase()]
  if (asset === undefined) return []
  const { tx_hash: txHash } = item
  if (typeof txHash === 'string' && hashPattern.test(txHash)) return [{ asset, txHash }]
  return [{ asset, error: errorOf(item.error) ?? 'no transaction' }]
}

/** Accepts a text, `{ServerError: text}` or `{message: text}`; returns one printable line. */
function errorOf(error: unknown): string | undefined {
  const text = isObject(error) ? (error.ServerError ?? error.message) : error
  return typeof text === 'string' && text.trim() !== '' ? shorten(text) : undefined
}

/** Makes untrusted text safe for a terminal, and short. */
export const shorten = (text: string): string => onOneLine(text).slice(0, errorCharsMax)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, such as an HTML error page: the status is reported.
    return undefined
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
