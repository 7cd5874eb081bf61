import { defineSection, type SettingValues, setting, textRules } from '#kernel'
import { objectSizes as sizes, widestObjectSizes as widestSizes } from '#plugins/storage'

export const serverSection = defineSection('server', {
  doc: 'The server of the S3 API.',
  keys: {
    port: setting.text(
      {
        label: 'Listen address',
        doc: 'host:port; without a host the S3 API answers on every interface.',
        default: ':8080',
        editable: true,
        risk: 'review',
        written: true,
      },
      textRules.listenAddress,
    ),
    max_connections: setting.integer({
      label: 'Connections',
      doc: 'Maximum number of open connections. A further one takes the place of the oldest on which no request was authenticated; without such it is dropped.',
      default: 4096,
      min: 1,
      editable: true,
      risk: 'review',
    }),
    max_connections_per_client: setting.integer({
      label: 'Connections per client',
      doc: 'Maximum number of open connections per client address (an IPv6 /64 is one client), with the same rule. 0: a quarter of server.max_connections. Behind a proxy all clients share its address: set this to the value of server.max_connections. It also raises the share of server.max_requests of one address.',
      default: 0,
      min: 0,
      editable: true,
      risk: 'review',
    }),
    max_requests: setting.integer({
      label: 'Requests',
      doc: 'Maximum number of concurrent requests; further ones get 503 SlowDown. One client address has at most half of them, and requests without a verified signature half together.',
      default: 512,
      min: 1,
      editable: true,
      risk: 'review',
    }),
  },
  check: ({ max_connections, max_requests }) =>
    max_requests > max_connections
      ? [{ key: 'max_requests', message: `(${max_requests}) must be <= server.max_connections, got ${max_connections}` }]
      : [],
})

export const serverTlsSection = defineSection('server.tls', {
  doc: 'TLS of the S3 API. Enable it, or put a proxy that terminates TLS in front.',
  keys: {
    enabled: setting.flag({ label: 'TLS', doc: 'Serve the S3 API over HTTPS.', default: false, editable: true, risk: 'review' }),
    cert_file: setting.text(
      { label: 'Certificate', doc: 'Path of the PEM certificate chain.', default: '', editable: true, risk: 'review' },
      textRules.readFile,
    ),
    key_file: setting.text(
      { label: 'Private key', doc: 'Path of the PEM private key.', default: '', editable: true, risk: 'review' },
      textRules.readFile,
    ),
  },
  check: ({ enabled, cert_file, key_file }) => {
    const needs = (key: string, value: string) =>
      enabled && value === '' ? [{ key, message: 'must be non-empty while server.tls.enabled is true' }] : []
    return [...needs('cert_file', cert_file), ...needs('key_file', key_file)]
  },
})

export const s3Section = defineSection('s3', {
  doc: 'Behaviour of the S3 API.',
  keys: {
    region: setting.text(
      {
        label: 'Region',
        doc: 'Region that clients sign for; us-east-1 is always accepted too.',
        default: 'us-east-1',
        editable: true,
        risk: 'review',
      },
      textRules.nonEmpty,
    ),
    virtual_host_domains: setting.list({
      label: 'Virtual-host domains',
      doc: 'Domains for virtual-hosted-style requests: with s3.example.org, the host photos.s3.example.org is the bucket photos.',
      default: [],
    }),
    storage_class_policy: setting.choice(['reject', 'ignore'], {
      label: 'Storage classes',
      doc: 'Requests with a storage class other than STANDARD: reject them, or ignore the class and store the object.',
      default: 'reject',
    }),
    sse_s3_header: setting.choice(['reject', 'ignore'], {
      label: 'Encryption header',
      doc: 'Requests for server-side encryption (AES256): reject them, or ignore the header and store the object unencrypted. Choose ignore only if clients or the disk encrypt the objects.',
      default: 'reject',
    }),
    default_checksum: setting.choice(['crc64nvme', 'none'], {
      label: 'Default checksum',
      doc: 'Checksum computed and stored for objects that clients send without one.',
      default: 'crc64nvme',
    }),
    bucket_deletion: setting.flag({
      label: 'Deletion of buckets',
      doc: 'Allow owners to delete empty buckets with DeleteBucket; their storage services then end. Off: DeleteBucket is answered with NotImplemented.',
      default: true,
      editable: true,
      risk: 'review',
    }),
    public_access: setting.flag({
      label: 'Public access',
      doc: 'Allow access control lists that give access to everyone, or to every user. Off: such lists are refused, and public grants that were stored before are ignored, so that requests without a signature are denied.',
      default: false,
      editable: true,
      risk: 'review',
    }),
    default_object_ownership: setting.choice(['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'], {
      label: 'Default object ownership',
      doc: 'Object ownership of buckets without ownership controls. BucketOwnerEnforced: no access control lists; only the owner of the bucket and admins have access. BucketOwnerPreferred: lists have an effect, and objects that other users write with the list bucket-owner-full-control belong to the owner of the bucket. ObjectWriter: they belong to the writer.',
      default: 'BucketOwnerPreferred',
      editable: true,
      risk: 'review',
    }),
    multipart_expiry_days: setting.integer({
      label: 'Expiry of multipart uploads',
      doc: 'Days without a new part after which an open multipart upload is aborted and its parts are removed from the cache.',
      default: 7,
      min: 1,
      max: 3650,
    }),
    body_idle_timeout: setting.duration({
      label: 'Idle timeout',
      doc: 'Time without a byte after which a transfer is aborted, and time that a body may be behind its minimum rate of 1 KiB per second.',
      default: '60s',
    }),
    min_object_size: setting.integer({
      label: 'Smallest object',
      doc: 'Size in bytes of the smallest object that is accepted. Objects below 127 bytes are padded with zeros at the providers; an object of 0 bytes is not copied to them.',
      default: sizes.bytesMin,
      min: widestSizes.bytesMin,
      max: sizes.bytesMax,
      editable: true,
      risk: 'review',
    }),
    max_object_size: setting.integer({
      label: 'Largest object',
      doc: 'Size in bytes of the largest object that is accepted, up to 5 TiB. An object above 1065353216 bytes is stored in several pieces of at most that size.',
      default: sizes.bytesMax,
      min: 1,
      max: widestSizes.bytesMax,
      editable: true,
      risk: 'review',
    }),
    object_sizes: setting.choice(['default', 'any'], {
      label: 'Object sizes',
      doc: 'any: accept objects from 0 bytes to 5 TiB, and leave s3.min_object_size and s3.max_object_size at their defaults. default: accept the sizes between those two.',
      default: 'default',
      editable: true,
      risk: 'review',
    }),
  },
  check: ({ object_sizes, min_object_size: min, max_object_size: max }) => {
    const mismatches = [
      ...(min === sizes.bytesMin || min === widestSizes.bytesMin ? [] : [{ key: 'min_object_size', value: min }]),
      ...(max === sizes.bytesMax || max === widestSizes.bytesMax ? [] : [{ key: 'max_object_size', value: max }]),
    ]
    if (object_sizes === 'any') {
      return mismatches.map(({ key, value }) => ({ key, message: `(${value}) must be removed while s3.object_sizes is "any"` }))
    }
    return min > max ? [{ key: 'min_object_size', message: `(${min}) must be <= s3.max_object_size, got ${max}` }] : []
  },
})

const unlimited = '0: no limit.'

const limit = (label: string, doc: string, fallback = 0) =>
  setting.integer({ label, doc: `${doc} ${unlimited}`, default: fallback, min: 0, editable: true, risk: 'review' })

export const s3LimitsSection = defineSection('s3.limits', {
  doc: 'What S3 users may use. The owner of a bucket is charged with everything in it. Limits for single users are set with svc admin s3-user limits. Operators are not limited, but what they store counts in the totals.',
  keys: {
    user_buckets: limit('Buckets of a user', 'Maximum number of buckets that one S3 user creates and owns.', 1000),
    user_objects: limit('Objects of a user', 'Maximum number of object versions in the buckets of one S3 user.'),
    user_bytes: limit('Bytes of a user', 'Maximum size in bytes of all object versions in the buckets of one S3 user.'),
    user_data_sets_per_day: limit(
      'Data sets of a user per day',
      'Maximum number of data sets that the buckets created by one S3 user within a day (UTC) may need: the copies of each new bucket. Each data set is paid for, also when its bucket is deleted soon.',
      300,
    ),
    total_buckets: limit('Buckets in total', 'Maximum number of all buckets while an S3 user creates one.'),
    total_objects: limit('Objects in total', 'Maximum number of object versions in all buckets while an S3 user adds one.'),
    total_bytes: limit('Bytes in total', 'Maximum size in bytes of all object versions while an S3 user adds one.'),
    total_data_sets_per_day: limit(
      'Data sets in total per day',
      'Maximum number of data sets that the buckets created by all S3 users within a day (UTC) may need.',
    ),
  },
})

export const s3AccessSection = defineSection('logging.s3_access', {
  doc: 'Access log of the S3 API: one line per finished request.',
  keys: {
    enabled: setting.flag({ label: 'S3 access log', doc: 'Write the access log.', default: true, editable: true }),
    level: setting.choice(['debug', 'info', 'warn', 'error'], {
      label: 'Level of the S3 access log',
      doc: 'Log level of the lines. They are omitted below logging.level.',
      default: 'info',
      editable: true,
    }),
  },
})

export type S3AccessSettings = SettingValues<(typeof s3AccessSection)['keys']>
export type S3LimitSettings = SettingValues<(typeof s3LimitsSection)['keys']>
export type S3Settings = SettingValues<(typeof s3Section)['keys']>
export type ServerSettings = SettingValues<(typeof serverSection)['keys']>
export type ServerTlsSettings = SettingValues<(typeof serverTlsSection)['keys']>

/** Returns the algorithm of the checksum that is computed for an object sent without one; undefined: none. */
export const defaultChecksum = ({ default_checksum }: Pick<S3Settings, 'default_checksum'>) =>
  default_checksum === 'none' ? undefined : default_checksum
