import { element, xmlDocument } from '../wire/xml.ts'
import { type Operation, xmlAnswer } from './operation.ts'

/** Every bucket is versioned. */
export const getBucketVersioning: Operation = {
  scope: 'bucket',
  run: () => xmlAnswer(xmlDocument('VersioningConfiguration', element('Status', 'Enabled'))),
}
