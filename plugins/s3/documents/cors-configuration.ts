import { element, optionalElement, xmlDocument } from '../wire/xml.ts'
import { childrenOf, childText, requireInteger } from '../wire/xml-reader.ts'
import { defineDocument } from './xml-document.ts'

export interface CorsRule {
  readonly id?: string | undefined
  readonly origins: readonly string[]
  readonly methods: readonly string[]
  readonly headers: readonly string[]
  readonly exposed: readonly string[]
  readonly maxAgeSeconds?: number | undefined
}

const all = (name: string, texts: readonly string[]): string => texts.map((text) => element(name, text)).join('')

export const corsDocument = defineDocument<readonly CorsRule[]>({
  root: 'CORSConfiguration',
  write(rules) {
    const items = rules.map(
      ({ id, origins, methods, headers, exposed, maxAgeSeconds }) =>
        `<CORSRule>${optionalElement('ID', id)}${all('AllowedHeader', headers)}${all('AllowedMethod', methods)}${all('AllowedOrigin', origins)}` +
        `${all('ExposeHeader', exposed)}${optionalElement('MaxAgeSeconds', maxAgeSeconds)}</CORSRule>`,
    )
    return xmlDocument('CORSConfiguration', items.join(''))
  },
  read: (root) =>
    childrenOf(root, 'CORSRule').map((rule) => {
      const texts = (name: string) => childrenOf(rule, name).map(({ text }) => text)
      const hasMaxAge = childText(rule, 'MaxAgeSeconds') !== undefined
      return {
        id: childText(rule, 'ID'),
        origins: texts('AllowedOrigin'),
        methods: texts('AllowedMethod'),
        headers: texts('AllowedHeader'),
        exposed: texts('ExposeHeader'),
        maxAgeSeconds: hasMaxAge ? requireInteger(rule, 'MaxAgeSeconds') : undefined,
      }
    }),
})
