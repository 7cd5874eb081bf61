import { BaseError, type EIP1193RequestFn, type Transport } from 'viem'
import { ChainSourcesDisagree, ChainUnreachable, revertDataIn } from './chain-error.ts'

export interface ChainSource {
  /** For messages, without path and query, which may contain a token (I-10). */
  readonly host: string
  readonly transport: Transport
}

interface Call {
  readonly method: string
  readonly params?: unknown
}

/**
 * The first source answers. A request that names a block by its number decides about money or deletion, and so does a receipt: their answer
 * is used only when a second source gives it too, and no other source another one. Requests with a tag such as `latest` inform.
 */
export function agreeingTransport(first: ChainSource, others: readonly ChainSource[]): Transport {
  if (others.length === 0) return first.transport
  return (options) => {
    const primary = first.transport(options)
    const ask = [primary.request, ...others.map(({ transport }) => transport(options).request)] as readonly EIP1193RequestFn[]
    const hosts = [first.host, ...others.map(({ host }) => host)]
    const request = async (call: Call, requestOptions: unknown) => {
      const factOf = factOfAnswer(call)
      const askOne = (send: EIP1193RequestFn) => send(call as never, requestOptions as never)
      if (!factOf && !isFinalized(call)) return askOne(ask[0] as EIP1193RequestFn)
      const answers = await Promise.allSettled(ask.map(askOne))
      return factOf ? confirmed(call, { hosts, answers, factOf }) : oldest(answers)
    }
    return { ...primary, request: request as typeof primary.request }
  }
}

const blockNumber = /^0x[0-9a-f]+$/
/** Place of the block in the parameters of a method. */
const blockAt: Readonly<Record<string, number>> = { eth_call: 1, eth_getTransactionCount: 1, eth_getBalance: 1 }

/** What sources must agree about in the answer to a call; undefined for calls that only inform. */
function factOfAnswer({ method, params }: Call): ((answer: unknown) => string) | undefined {
  if (method === 'eth_getTransactionReceipt') {
    return (answer) => {
      const { status, blockNumber } = (answer ?? {}) as { readonly status?: unknown; readonly blockNumber?: unknown }
      return `${status} in ${blockNumber}`
    }
  }
  const at = blockAt[method]
  const block = at === undefined ? undefined : (params as readonly unknown[])[at]
  return typeof block === 'string' && blockNumber.test(block) ? (answer) => String(answer).toLowerCase() : undefined
}

const isFinalized = ({ method, params }: Call): boolean =>
  method === 'eth_getBlockByNumber' && (params as readonly unknown[])[0] === 'finalized'

/** The finalized block of the source that finalizes last. */
function oldest(answers: readonly PromiseSettledResult<unknown>[]): unknown {
  const blocks = answers.map((answer) => resultOf(answer) as { readonly number?: string } | null)
  const numberOf = (block: (typeof blocks)[number]) => BigInt(block?.number ?? 0)
  return blocks.reduce((oldest, block) => (numberOf(block) < numberOf(oldest) ? block : oldest))
}

interface Asked {
  readonly hosts: readonly string[]
  readonly answers: readonly PromiseSettledResult<unknown>[]
  readonly factOf: (answer: unknown) => string
}

function confirmed({ method }: Call, { hosts, answers, factOf }: Asked): unknown {
  const [fact, ...others] = answers.map((answer) => {
    if (answer.status === 'fulfilled') return factOf(answer.value)
    const revert = answer.reason instanceof BaseError ? revertDataIn(answer.reason) : undefined
    return revert && `revert ${revert}`
  })
  const [first] = answers
  if (fact !== undefined && first) {
    const differing = others.findIndex((other) => other !== undefined && other !== fact)
    if (differing >= 0) throw new ChainSourcesDisagree(method, [hosts[0] ?? '', hosts[differing + 1] ?? ''])
    if (!others.includes(fact)) {
      throw new ChainUnreachable(
        `No further chain node confirms the answer to ${method}. Check ${hosts.slice(1).join(', ')} in chain.rpc_urls.`,
      )
    }
  }
  return resultOf(first)
}

function resultOf(answer: PromiseSettledResult<unknown> | undefined): unknown {
  if (answer?.status === 'fulfilled') return answer.value
  throw answer?.reason
}
