// An error answer: a status and one line of text, as in Curio.
interface RefusalOptions extends ErrorOptions {
  readonly headers?: Record<string, string>
}

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly headers: Record<string, string>

  constructor(text: string, { status, headers = {}, ...options }: RefusalOptions & { readonly status: number }) {
    super(text, options)
    this.status = status
    this.headers = headers
  }
}

export const refusal = (status: number, text: string, options?: RefusalOptions) => new Refusal(text, { ...options, status })

/** Curio's answer for an unknown path or upload session. */
export const notFound = () => refusal(404, '404 page not found')
