import { escapeXml, xmlDocument } from '../wire/xml.ts'
import { type Operation, xmlAnswer } from './operation.ts'

/** S3 writes the region us-east-1 as an empty element. */
export const getBucketLocation: Operation = {
  scope: 'bucket',
  run: (_, { settings }) => xmlAnswer(xmlDocument('LocationConstraint', settings.region === 'us-east-1' ? '' : escapeXml(settings.region))),
}
