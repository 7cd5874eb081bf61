/** Draws tables of states. */

interface Edge {
  readonly from: string
  readonly event: string
  readonly to: string
}

export const causes = { decision: 'decision of svc', answer: 'answer to the request', look_up: 'look-up on chain' } as const

/** One arrow for all events between two states. */
export function drawDiagram(
  edges: readonly Edge[],
  { first, last }: { readonly first: readonly string[]; readonly last: readonly string[] },
): string {
  const arrows = Map.groupBy(edges, ({ from, to }) => `${from} --> ${to}`)
  const lines = [...arrows].map(([arrow, all]) => `    ${arrow} : ${[...new Set(all.map(({ event }) => event))].join(', ')}`)
  const begin = first.map((state) => `    [*] --> ${state}`)
  return ['```mermaid', 'stateDiagram-v2', ...begin, ...lines, ...last.map((state) => `    ${state} --> [*]`), '```', ''].join('\n')
}
