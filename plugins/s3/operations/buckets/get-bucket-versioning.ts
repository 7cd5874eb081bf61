import { versioningDocument } from '../../documents/versioning-configuration.ts'
import { type Operation, xmlAnswer } from '../operation.ts'

/** Every bucket is versioned. */
export const getBucketVersioning: Operation = {
  scope: 'bucket',
  run: () => xmlAnswer(versioningDocument.write({ status: 'Enabled', mfaDelete: undefined })),
}
