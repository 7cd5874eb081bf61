import { element, optionalElement, xmlDocument } from '../../wire/xml.ts'
import { childText } from '../../wire/xml-reader.ts'
import { keyDecoder, keyEncoder, readEncodingType } from '../keys.ts'
import { defineDocument } from '../xml-document.ts'
import { type ObjectList, readObjectList, writeEntries, writeLimits } from './list-objects.ts'

interface ObjectListV2 extends ObjectList {
  readonly continuationToken: string | undefined
  readonly nextContinuationToken: string | undefined
  readonly startAfter: string | undefined
}

export const objectListV2Document = defineDocument<ObjectListV2>({
  root: 'ListBucketResult',
  write(list) {
    const encode = keyEncoder(list.encodingType)
    const head =
      `${element('Name', list.bucket)}${element('Prefix', encode(list.prefix))}${optionalElement('ContinuationToken', list.continuationToken)}` +
      `${optionalElement('NextContinuationToken', list.nextContinuationToken)}${element('KeyCount', list.entries.length + list.commonPrefixes.length)}`
    const after = list.startAfter === undefined ? '' : element('StartAfter', encode(list.startAfter))
    return xmlDocument('ListBucketResult', `${head}${writeLimits(list, encode)}${after}${writeEntries(list, encode)}`)
  },
  read(root) {
    const decode = keyDecoder(readEncodingType(root))
    const after = childText(root, 'StartAfter')
    return {
      ...readObjectList(root, decode),
      continuationToken: childText(root, 'ContinuationToken'),
      nextContinuationToken: childText(root, 'NextContinuationToken'),
      startAfter: after === undefined ? undefined : decode(after),
    }
  },
})
