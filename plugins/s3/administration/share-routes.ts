import { clock, defineRoutes, formatTime, serveEndpoint } from '#kernel'
import { type Bucket, buckets, objects } from '#plugins/storage'
import { accessLists } from '../access/access-lists.ts'
import { type Permissions, permissionsOf } from '../auth/permissions.ts'
import { s3Section, serverSection, serverTlsSection } from '../settings.ts'
import { userDirectory } from '../users/user-directory.ts'
import { userErrors } from '../users/user-errors.ts'
import { S3Error } from '../wire/s3-error.ts'
import { presignRead } from './presign.ts'
import { administrationErrors } from './setting-refusal.ts'
import { shareObject, showS3Address } from './share-api.ts'

export const shareRoutes = defineRoutes({
  name: 's3-shares',
  uses: {
    clock,
    buckets,
    objects,
    accessLists,
    users: userDirectory,
    settings: s3Section.settings,
    server: serverSection.settings,
    tls: serverTlsSection.settings,
  },
  endpoints: [showS3Address, shareObject],
  register(app, { clock, buckets, objects, accessLists, users, settings, server, tls }) {
    serveEndpoint(app, showS3Address, async () => ({ listens_on: server.port, tls: tls.enabled, region: settings.region }))

    serveEndpoint(app, shareObject, async ({ params, body }) => {
      const bucket = buckets.require(params.name)
      const { key, version_id: versionId, access_key, expires_seconds: expiresSeconds } = body
      const signer = users.findSigner(access_key)
      if (!signer) throw userErrors.s3_user_not_found()
      const version = await objects.find(bucket, key, versionId)
      if (!version || version.isDeleteMarker) throw administrationErrors.share_object_not_found()
      await requireReader(permissionsOf(signer, accessLists), { bucket, key, versionId })
      const nowMs = clock.now()
      const url = presignRead(signer, {
        endpoint: new URL(body.endpoint),
        region: settings.region,
        bucket: bucket.name,
        key,
        versionId,
        expiresSeconds,
        nowMs,
      })
      return { url, expires_at: formatTime(nowMs + expiresSeconds * 1000) }
    })
  },
})

/** The link is refused where the S3 API would refuse to read by it. */
async function requireReader(
  permissions: Permissions,
  object: { readonly bucket: Bucket; readonly key: string; readonly versionId: string | undefined },
): Promise<void> {
  try {
    await permissions.require(object.versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion', object)
  } catch (error) {
    if (!(error instanceof S3Error)) throw error
    throw administrationErrors.share_user_denied({ cause: error })
  }
}
