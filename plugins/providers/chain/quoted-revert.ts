/** Decodes contract reverts that providers quote in error texts. */
import { type Abi, decodeErrorResult, type Hex, isHex } from 'viem'
import { fwssErrorsAbi } from './fwss-abi.ts'
import { payErrorsAbi } from './pay-errors-abi.ts'
import { pdpErrorsAbi } from './pdp-abi.ts'

/** A contract revert quoted in the provider's error text. */
export interface ProviderRevert {
  /** Contract that defines the error; `unknown` for a revert with a text or an unknown selector. */
  readonly contract: 'fwss' | 'pay' | 'pdp' | 'unknown'
  /** `Error` for a revert with a text, which is in `args[0]`; undefined for an unknown selector. */
  readonly errorName: string | undefined
  readonly selector: Hex | undefined
  readonly args: readonly unknown[]
}

/** Number of characters of an error text that are searched. */
const errorCharactersMax = 16 * 1024

/** Marks before revert data that the provider's node quotes in an error text: `mark=[data]`. */
const quoteMarks = ['vm error', 'revert reason'] as const
const quotedText = /^Error\((.*)\)$/s
const contracts: readonly (readonly ['fwss' | 'pay' | 'pdp', Abi])[] = [
  ['fwss', fwssErrorsAbi],
  ['pay', payErrorsAbi],
  ['pdp', pdpErrorsAbi],
]

/** The first revert quoted in an error text; undefined if there is none. Revert data is preferred to a revert text. */
export function findRevert(text: string): ProviderRevert | undefined {
  const quoted = findQuotes(text.slice(0, errorCharactersMax))
  const data = quoted.find((content): content is Hex => isHex(content) && content.length >= 10)
  if (data !== undefined) return decodeRevertData(data)
  const revertText = quoted.map((content) => quotedText.exec(content)?.[1]).find((content) => content !== undefined)
  return revertText === undefined ? undefined : { contract: 'unknown', errorName: 'Error', selector: undefined, args: [revertText] }
}

/** The text in brackets after each mark. Linear time, because the text is untrusted. */
function findQuotes(text: string): readonly string[] {
  const quoted: string[] = []
  for (let from = 0; ; ) {
    const open = text.indexOf('=[', from)
    if (open < 0) return quoted
    from = open + 2
    if (!quoteMarks.some((mark) => text.endsWith(mark, open))) continue
    const close = text.indexOf(']', from)
    // No later quote can be terminated either.
    if (close < 0) return quoted
    quoted.push(text.slice(from, close))
    from = close
  }
}

/** `ClientDataSetAlreadyRegistered` means that the nonce is used: an earlier send of the same signed bytes has landed. */
export function provesLanding(revert: ProviderRevert): boolean {
  return revert.contract === 'fwss' && revert.errorName === 'ClientDataSetAlreadyRegistered'
}

function decodeRevertData(data: Hex): ProviderRevert {
  const selector = data.slice(0, 10) as Hex
  for (const [contract, abi] of contracts) {
    try {
      const { errorName, args } = decodeErrorResult({ abi, data })
      const isPlain = errorName === 'Error' || errorName === 'Panic'
      return { contract: isPlain ? 'unknown' : contract, errorName, selector, args: (args as readonly unknown[] | undefined) ?? [] }
    } catch {
      // Not an error of this contract: try the next.
    }
  }
  return { contract: 'unknown', errorName: undefined, selector, args: [] }
}
