import type { ServedPage } from './dashboard-files.ts'

interface PageBody {
  readonly encoding: 'br' | 'gzip' | 'identity'
  readonly body: Buffer | undefined
}

/** The shortest form that the client takes. */
export function choosePageBody(bodies: ServedPage['bodies'], accepted = ''): PageBody {
  const takes = (encoding: string) =>
    accepted.split(',').some((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
      return (name === encoding || name === '*') && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    })
  const encoding = (['br', 'gzip'] as const).find((encoding) => bodies[encoding] && takes(encoding)) ?? 'identity'
  return { encoding, body: bodies[encoding] }
}
