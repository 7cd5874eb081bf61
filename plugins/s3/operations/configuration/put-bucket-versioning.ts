import { versioningDocument } from '../../documents/versioning-configuration.ts'
import { S3Error } from '../../wire/s3-error.ts'
import type { Operation } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'

/** Accepts only what is already so: every bucket is versioned. */
export const putBucketVersioning: Operation = {
  scope: 'bucket',
  async run(request) {
    const { status, mfaDelete } = await readXmlBody(request, versioningDocument)
    if (mfaDelete === 'Enabled')
      throw new S3Error('NotImplemented', { message: 'MfaDelete is not implemented: send Disabled, or omit it.' })
    if (status === undefined) throw new S3Error('IllegalVersioningConfigurationException')
    if (status === 'Suspended') {
      throw new S3Error('InvalidBucketState', {
        message: 'Versioning cannot be suspended: buckets of this server are always versioned. To free space, delete old versions.',
      })
    }
    return { status: 200, headers: {} }
  },
}
