import { escapeXml, xmlDocument } from '../wire/xml.ts'
import { defineDocument } from './xml-document.ts'

const defaultRegion = 'us-east-1'

/** The region of a bucket. S3 writes us-east-1 as an empty element. */
export const locationDocument = defineDocument<string>({
  root: 'LocationConstraint',
  write: (region) => xmlDocument('LocationConstraint', region === defaultRegion ? '' : escapeXml(region)),
  read: ({ text }) => text || defaultRegion,
})
