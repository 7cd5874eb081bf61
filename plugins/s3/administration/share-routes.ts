import { clock, defineRoutes, formatTime, serveEndpoint } from '#kernel'
import { buckets, objects } from '#plugins/storage'
import { s3Section, serverSection, serverTlsSection } from '../settings.ts'
import { userDirectory } from '../users/user-directory.ts'
import { userErrors } from '../users/user-errors.ts'
import { presignRead } from './presign.ts'
import { administrationErrors } from './setting-refusal.ts'
import { shareObject, showS3Address } from './share-api.ts'

export const shareRoutes = defineRoutes({
  name: 's3-shares',
  uses: {
    clock,
    buckets,
    objects,
    users: userDirectory,
    settings: s3Section.settings,
    server: serverSection.settings,
    tls: serverTlsSection.settings,
  },
  endpoints: [showS3Address, shareObject],
  register(app, { clock, buckets, objects, users, settings, server, tls }) {
    serveEndpoint(app, showS3Address, async () => ({ listens_on: server.port, tls: tls.enabled, region: settings.region }))

    serveEndpoint(app, shareObject, async ({ params, body }) => {
      const bucket = buckets.require(params.name)
      const { key, version_id: versionId, access_key, expires_seconds: expiresSeconds } = body
      const signer = users.findSigner(access_key)
      if (!signer) throw userErrors.s3_user_not_found()
      if (signer.role !== 'admin' && bucket.ownerAccessKey !== access_key) throw administrationErrors.share_user_denied()
      const version = await objects.find(bucket, key, versionId)
      if (!version || version.isDeleteMarker) throw administrationErrors.share_object_not_found()
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
