import { optionalElement, xmlDocument } from '../wire/xml.ts'
import { childText, malformed } from '../wire/xml-reader.ts'
import { defineDocument } from './xml-document.ts'

interface VersioningConfiguration {
  readonly status: 'Enabled' | 'Suspended' | undefined
}

export const versioningDocument = defineDocument<VersioningConfiguration>({
  root: 'VersioningConfiguration',
  write: ({ status }) => xmlDocument('VersioningConfiguration', optionalElement('Status', status)),
  read(root) {
    const status = childText(root, 'Status')
    if (status === undefined || status === 'Enabled' || status === 'Suspended') return { status }
    throw malformed('The element Status must be Enabled or Suspended.')
  },
})
