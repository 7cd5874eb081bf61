import type { Endpoint } from '../http/endpoint.ts'

/** An answer, checked against what the endpoint says it answers: the status, nothing missing, nothing that is not documented. */
export function promised<E extends Endpoint>(endpoint: E, answer: { readonly status: number; readonly body: unknown }) {
  if (answer.status !== (endpoint.status ?? 200)) throw new Error(`status ${answer.status}: ${JSON.stringify(answer.body)}`)
  return endpoint.answer?.onDeepUndeclaredKey('reject').assert(answer.body) as NonNullable<E['answer']>['infer']
}
