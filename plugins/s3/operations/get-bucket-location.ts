import { escapeXml, xmlDocument } from '../http/xml.ts'
import { type Operation, xmlAnswer } from './operation.ts'

/** The region; the oldest one is written as nothing. */
export const getBucketLocation: Operation = {
  scope: 'bucket',
  action: 'read-bucket',
  run: (_, { settings }) => xmlAnswer(xmlDocument('LocationConstraint', settings.region === 'us-east-1' ? '' : escapeXml(settings.region))),
}
