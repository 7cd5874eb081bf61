import { defineSection, setting, textRules } from '#kernel'
import { isSafeUrl } from './safe-url-policy.ts'

const url = {
  expected: 'an https URL',
  mustBe: (text: string) => (text === '' || isSafeUrl(text) ? undefined : 'an https URL, or http on a loopback address'),
}

/** Sign-in at an identity provider. Off while `issuer` is empty. Read at the start; changed in the file only, like `admin.auth`. */
export const oidcSection = defineSection('admin.oidc', {
  doc: 'Sign-in to the dashboard at an OpenID Connect provider, beside the local admin.',
  keys: {
    issuer: setting.text(
      { label: 'Issuer', doc: 'URL of the identity provider, exactly as it names itself. Empty: off.', default: '' },
      url,
    ),
    client_id: setting.text({ label: 'Client id', doc: 'Id of this service at the provider.', default: '' }),
    client_secret: setting.secret({ label: 'Client secret', doc: 'Empty for a public client; PKCE is used in any case.', default: '' }),
    public_url: setting.text(
      {
        label: 'Public URL',
        doc: 'Address of the dashboard in the browser, such as https://svc.example.com. Register <public_url>/api/v1/auth/oidc/callback at the provider.',
        default: '',
      },
      url,
    ),
    label: setting.text({ label: 'Name', doc: 'Name of the provider on the sign-in page.', default: 'single sign-on' }, textRules.nonEmpty),
    scopes: setting.list({
      label: 'Scopes',
      doc: 'Asked of the provider; openid is always among them.',
      default: ['openid', 'profile', 'email'],
    }),
    username_claim: setting.text({
      label: 'Claim of the user name',
      doc: 'Where it is missing, sub is used.',
      default: 'preferred_username',
    }),
    role_claim: setting.text(
      {
        label: 'Claim of the roles',
        doc: 'A text or a list of texts in the ID token; dots reach into objects, as in realm_access.roles.',
        default: 'groups',
      },
      textRules.nonEmpty,
    ),
    admins: setting.list({ label: 'Values for admin', doc: 'People with one of these values may do everything.', default: [] }),
    operators: setting.list({ label: 'Values for operator', doc: 'May work with buckets, objects and tasks.', default: [] }),
    readers: setting.list({ label: 'Values for read-only', doc: 'May see everything and change nothing.', default: [] }),
    session_max: setting.duration({
      label: 'Longest session',
      doc: 'After this time the provider is asked again, however often the session was renewed.',
      default: '24h',
    }),
  },
  check({ issuer, client_id, public_url, admins, operators, readers }) {
    if (issuer === '') return []
    const missing = (key: string, value: string) =>
      value === '' ? [{ key, message: 'must not be empty while admin.oidc.issuer is set' }] : []
    const noRole = {
      key: 'admins',
      message: 'must not be empty while admin.oidc.issuer is set and operators and readers are empty: no sign-in would succeed',
    }
    return [
      ...missing('client_id', client_id),
      ...missing('public_url', public_url),
      ...(admins.length + operators.length + readers.length === 0 ? [noRole] : []),
    ]
  },
})
