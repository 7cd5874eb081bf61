import type { FastifyRequest } from 'fastify'
import { defineRoutes, serveEndpoint } from '#kernel'
import { type AdminAuth, adminAuth, kernelErrors, requestIdentity } from '#kernel/system'
import { accessErrors } from '../errors.ts'
import { beginSecondFactor, confirmSecondFactor, removeSecondFactor, showSecondFactor } from './second-factor-api.ts'

export const secondFactorRoutes = defineRoutes({
  name: 'second-factor',
  uses: { adminAuth },
  endpoints: [showSecondFactor, beginSecondFactor, confirmSecondFactor, removeSecondFactor],
  register(app, { adminAuth }) {
    serveEndpoint(app, showSecondFactor, async () => {
      const { isOn, recoveryCodesLeft } = adminAuth.signIn.secondFactor
      return { enabled: isOn, recovery_codes_left: recoveryCodesLeft }
    })

    serveEndpoint(app, beginSecondFactor, async ({ body, request }) => {
      const { secondFactor } = adminAuth.signIn
      if (secondFactor.isOn) throw accessErrors.second_factor_on()
      // A stolen session must not lock the admin out.
      if (requestIdentity(request).kind !== 'basic') await prove(adminAuth, request, { password: body.password ?? '' })
      const secret = secondFactor.begin()
      const { host } = adminAuth.resolveOrigin(request.raw)
      const label = encodeURIComponent(`svc ${host}`)
      return { secret, uri: `otpauth://totp/${label}?secret=${secret}&issuer=svc&algorithm=SHA1&digits=6&period=30` }
    })

    serveEndpoint(app, confirmSecondFactor, async ({ body }) => {
      const { secondFactor } = adminAuth.signIn
      if (secondFactor.isOn) throw accessErrors.second_factor_on()
      const issued = secondFactor.confirm(body.code.trim())
      if (!issued) throw secondFactor.isEnrolling ? accessErrors.second_factor_code_wrong() : accessErrors.second_factor_not_begun()
      adminAuth.signIn.forgetProofs()
      return { recovery_codes: [...issued.recoveryCodes], script_password: issued.scriptPassword }
    })

    serveEndpoint(app, removeSecondFactor, async ({ body, request }) => {
      const { secondFactor } = adminAuth.signIn
      if (!secondFactor.isOn) throw accessErrors.second_factor_off()
      await prove(adminAuth, request, { code: body.code.trim() })
      secondFactor.remove()
      adminAuth.signIn.forgetProofs()
    })
  },
})

interface Proof {
  readonly password?: string
  readonly code?: string
}

/** Not 401: the session is valid, and the dashboard would ask for a sign-in. */
async function prove({ signIn, resolveOrigin }: AdminAuth, request: FastifyRequest, proof: Proof): Promise<void> {
  const attempt = await signIn.prove(proof, resolveOrigin(request.raw).clientIp)
  if (attempt.kind === 'limited') throw kernelErrors.login_rate_limited({ retryAfterSeconds: attempt.retryAfterSeconds })
  if (attempt.kind === 'wrong') throw proof.code === undefined ? accessErrors.password_wrong() : accessErrors.second_factor_code_wrong()
}
