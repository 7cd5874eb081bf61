/** Copies of a version as the page shows them. Pure. */
import type { Copy } from '../state-policy.ts'

export const transferLabels: Readonly<Record<Copy['transfer_method'], string>> = {
  ingress: 'Upload',
  peer_pull: 'Pull from a provider',
}

/** Copies with an error of their latest attempt. */
export const failuresOf = (copies: readonly Copy[]): readonly Copy[] => copies.filter(({ health }) => health.last_error !== undefined)

/** Addresses come from providers: only web addresses become links. */
export function safeUrl(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined
  const { protocol } = new URL(text)
  return protocol === 'https:' || protocol === 'http:' ? text : undefined
}
