import { locationDocument } from '../../documents/location-constraint.ts'
import { type Operation, xmlAnswer } from '../operation.ts'

export const getBucketLocation: Operation = {
  scope: 'bucket',
  run: (_, { settings }) => xmlAnswer(locationDocument.write(settings.region)),
}
