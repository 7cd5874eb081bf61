import type { Endpoint } from '../http/endpoint.ts'

/** Checks an answer against its endpoint: status, no missing and no undocumented members. */
export function promised<E extends Endpoint>(endpoint: E, answer: { readonly status: number; readonly body: unknown }) {
  if (answer.status !== (endpoint.status ?? 200) && answer.status !== endpoint.alsoStatus)
    throw new Error(`status ${answer.status}: ${JSON.stringify(answer.body)}`)
  return endpoint.answer?.onDeepUndeclaredKey('reject').assert(answer.body) as NonNullable<E['answer']>['infer']
}
