import { element, optionalElement, xmlDocument } from '../wire/xml.ts'
import { childrenOf, childText, requireText } from '../wire/xml-reader.ts'
import { defineDocument } from './xml-document.ts'

interface BucketConfiguration {
  /** Is undefined for the region of the server. */
  readonly locationConstraint: string | undefined
  readonly tags: readonly { readonly key: string; readonly value: string }[]
}

const root = 'CreateBucketConfiguration'

export const createBucketDocument = defineDocument<BucketConfiguration>({
  root,
  write({ locationConstraint, tags }) {
    const items = tags.map(({ key, value }) => `<Tag>${element('Key', key)}${element('Value', value)}</Tag>`)
    const list = items.length === 0 ? '' : `<Tags>${items.join('')}</Tags>`
    return xmlDocument(root, `${optionalElement('LocationConstraint', locationConstraint)}${list}`)
  },
  read: (configuration) => ({
    locationConstraint: childText(configuration, 'LocationConstraint') || undefined,
    tags: childrenOf(configuration, 'Tags')
      .flatMap((tags) => childrenOf(tags, 'Tag'))
      .map((tag) => ({ key: requireText(tag, 'Key'), value: requireText(tag, 'Value') })),
  }),
})
