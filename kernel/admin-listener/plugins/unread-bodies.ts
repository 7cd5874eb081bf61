import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/**
 * Bodies of any media type reach the handlers unread: `parseBody` reads strict JSON, an upload route reads `request.raw`.
 * The Content-Type header is hidden while fastify selects a parser, because fastify refuses unknown media types.
 */
export const unreadBodies = fp(
  async (app: FastifyInstance) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    const mediaTypes = new WeakMap<FastifyRequest, string>()
    app.addHook('preParsing', (request, _reply, payload, done) => {
      const mediaType = request.raw.headers['content-type']
      if (mediaType !== undefined) mediaTypes.set(request, mediaType)
      delete request.raw.headers['content-type']
      done(null, payload)
    })
    app.addHook('preValidation', (request, _reply, done) => {
      const mediaType = mediaTypes.get(request)
      if (mediaType !== undefined) request.raw.headers['content-type'] = mediaType
      done()
    })
  },
  { name: 'svc.unread-bodies' },
)
