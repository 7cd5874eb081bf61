// Admin API of the S3 users.

import { type } from 'arktype'
import { defineRoutes, kernelErrors } from '#kernel'
import { buckets } from '#plugins/storage'
import { s3Users } from '../contract.ts'

const createBody = type({ 'role?': "'user' | 'userplus' | 'admin'", '+': 'reject' })

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
      const body = createBody(request.body ?? {})
      if (body instanceof type.errors) throw kernelErrors.invalid_request({ message: body.summary })
      const { accessKey, secretKey, role } = await services.s3Users.create(body.role ?? 'userplus')
      return reply.code(201).send({ access_key: accessKey, secret_key: secretKey, role })
    })
  },
})
