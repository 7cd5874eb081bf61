/** What the steps of the property tests share: two buckets, their models, and the server. */
import { expect } from 'vitest'
import { BucketModel, type ModelUpload, type ModelVersion } from './bucket-model.ts'
import { encodePath, encodeQuery, type modelClient, type WireAnswer } from './model-client.ts'
import type { KeyText, ListStep } from './model-steps.ts'

interface Sent {
  /** Names and values, or the text. */
  readonly query?: Readonly<Record<string, string | number | undefined>> | string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

interface CompletedUpload extends Pick<ModelUpload, 'key' | 'uploadId'> {
  readonly bucket: number
  /** Body of the completion. */
  readonly body: string
  readonly version: ModelVersion
}

interface OnBucket {
  readonly bucket: number
}

export const noteHeader = (note: string | undefined): Record<string, string> => (note === undefined ? {} : { 'x-amz-meta-note': note })

/** The item at a position modulo their number; undefined when there is none. */
export const pick = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % Math.max(1, items.length)]

export const versionOf = ({ headers }: WireAnswer): string => {
  const versionId = headers['x-amz-version-id']
  if (typeof versionId !== 'string') throw new Error('the answer names no version')
  return versionId
}

export class ModelContext {
  readonly #client: Pick<ReturnType<typeof modelClient>, 'send'>
  readonly #keys: readonly string[]
  readonly #models = [new BucketModel(), new BucketModel()]
  readonly names: readonly string[]
  readonly completed: CompletedUpload[] = []

  constructor(client: Pick<ReturnType<typeof modelClient>, 'send'>, names: readonly [string, string], keys: readonly string[]) {
    this.#client = client
    this.names = names
    this.#keys = keys
  }

  key({ key }: { readonly key: number }): string {
    return pick(this.#keys, key) ?? ''
  }

  text(text: KeyText): string {
    return typeof text === 'string' ? text : Array.from(this.key(text)).slice(0, text.length).join('')
  }

  delimiter({ prefix, delimiter }: Pick<ListStep, 'prefix' | 'delimiter'>): string {
    if (typeof delimiter === 'string') return delimiter
    const whole = Array.from(typeof prefix === 'string' ? prefix : this.key(prefix))
    const from = Math.max(0, Array.from(this.text(prefix)).length + delimiter.from)
    return whole.slice(from, from + delimiter.length).join('')
  }

  model({ bucket }: OnBucket): BucketModel {
    const model = this.#models[bucket]
    if (model === undefined) throw new Error(`there is no bucket ${bucket}`)
    return model
  }

  upload(step: OnBucket & { readonly upload: number }): ModelUpload | undefined {
    return pick(this.model(step).uploads, step.upload)
  }

  /** Id of a version of the key; of an odd position also of another key. `null`, which no version has, when there is none. */
  versionId(of: OnBucket & { readonly key: number }, at: number): string {
    const model = this.model(of)
    const ids = at % 2 === 0 ? (model.versions.get(this.key(of)) ?? []).map(({ versionId }) => versionId) : model.all().map(({ id }) => id)
    return pick(ids, at >> 1) ?? 'null'
  }

  /** An empty key names the bucket. */
  async send(method: string, { bucket }: OnBucket, key: string, { query = {}, headers, body = '' }: Sent = {}): Promise<WireAnswer> {
    const text = typeof query === 'string' ? query : encodeQuery(query)
    const url = `/${this.names[bucket]}${key === '' ? '' : `/${encodePath(key)}`}${text === '' ? '' : `?${text}`}`
    const unsignedHeaders = { ...(method === 'PUT' && body === '' && { 'content-length': '0' }) }
    return await this.#client.send({ method, url, body, payload: 'UNSIGNED-PAYLOAD', unsignedHeaders, ...(headers && { headers }) })
  }
}

/** Throws unless the answer has this status and, if it is an error, this code. */
export async function answered(status: number, code: string, sent: Promise<WireAnswer>): Promise<WireAnswer> {
  const answer = await sent
  expect({ status: answer.status, code: answer.code }).toEqual({ status, code })
  return answer
}
