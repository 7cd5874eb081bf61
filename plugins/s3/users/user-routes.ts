// Admin API of the S3 users.
import { type } from 'arktype'
import { defineRoutes, parseBody } from '#kernel'
import { buckets } from '#plugins/storage'
import { s3Users } from '../contract.ts'

const createBody = type({ 'role?': "'user' | 'userplus' | 'admin'" })

export const userRoutes = defineRoutes({
  name: 's3-users',
  uses: { s3Users, buckets },
  register(app, services) {
    app.get('/api/v1/s3-users', async () =>
      services.s3Users.list().map(({ accessKey, role }) => ({
        access_key: accessKey,
        role,
        bucket_count: services.buckets.countOwnedBy(accessKey),
      })),
    )

    // The secret is in this answer and in no later one.
    app.post('/api/v1/s3-users', async (request, reply) => {
      const { role = 'userplus' } = await parseBody(createBody, request, { requireJsonType: true })
      const { accessKey, secretKey } = await services.s3Users.create(role)
      return reply.code(201).send({ access_key: accessKey, secret_key: secretKey, role })
    })
  },
})
