import { element, xmlDocument } from '../../wire/xml.ts'
import { childText } from '../../wire/xml-reader.ts'
import { keyDecoder, keyEncoder, readEncodingType } from '../keys.ts'
import { defineDocument } from '../xml-document.ts'
import { type ObjectList, readObjectList, writeEntries, writeLimits } from './list-objects.ts'

interface ObjectListV1 extends ObjectList {
  readonly marker: string
  readonly nextMarker: string | undefined
}

export const objectListV1Document = defineDocument<ObjectListV1>({
  root: 'ListBucketResult',
  write(list) {
    const encode = keyEncoder(list.encodingType)
    const head = `${element('Name', list.bucket)}${element('Prefix', encode(list.prefix))}${element('Marker', encode(list.marker))}`
    const next = list.nextMarker === undefined ? '' : element('NextMarker', encode(list.nextMarker))
    return xmlDocument('ListBucketResult', `${head}${next}${writeLimits(list, encode)}${writeEntries(list, encode)}`)
  },
  read(root) {
    const decode = keyDecoder(readEncodingType(root))
    const next = childText(root, 'NextMarker')
    return {
      ...readObjectList(root, decode),
      marker: decode(childText(root, 'Marker') ?? ''),
      nextMarker: next === undefined ? undefined : decode(next),
    }
  },
})
