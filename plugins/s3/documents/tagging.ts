import type { Tag } from '../wire/tags.ts'
import { element, xmlDocument } from '../wire/xml.ts'
import { childrenOf, malformed, requireText } from '../wire/xml-reader.ts'
import { defineDocument } from './xml-document.ts'

export const taggingDocument = defineDocument<readonly Tag[]>({
  root: 'Tagging',
  write(tags) {
    const items = tags.map(({ key, value }) => `<Tag>${element('Key', key)}${element('Value', value)}</Tag>`)
    return xmlDocument('Tagging', `<TagSet>${items.join('')}</TagSet>`)
  },
  read(root) {
    const [tagSet] = childrenOf(root, 'TagSet')
    if (tagSet === undefined) throw malformed('The element Tagging has no TagSet.')
    return childrenOf(tagSet, 'Tag').map((tag) => ({ key: requireText(tag, 'Key'), value: requireText(tag, 'Value') }))
  },
})
