/**
 * Configurations that buckets of this server do not have, of which clients and Terraform read all. A read says what is true: the default, or
 * that nothing is configured. Changes are not implemented.
 */
import { type FixedAnswer, fixedAnswer, saysAbsent, saysDocument } from '../configuration/fixed-answer.ts'
import { type ConfigurationActions, configuration, type OperationRow, readWrite, sameNamed, withHandlers } from './row.ts'

interface FixedConfiguration {
  readonly subResource: string
  readonly actions: ConfigurationActions
  readonly answer: FixedAnswer
  /** Whether S3 has a delete operation for it. */
  readonly isDeletable: boolean
  readonly notes: string
}

const fixed: Readonly<Record<string, FixedConfiguration>> = {
  BucketAccelerateConfiguration: {
    subResource: 'accelerate',
    actions: sameNamed('AccelerateConfiguration'),
    answer: saysDocument('AccelerateConfiguration'),
    isDeletable: false,
    notes: 'Never enabled.',
  },
  BucketEncryption: {
    subResource: 'encryption',
    actions: sameNamed('EncryptionConfiguration'),
    answer: saysAbsent('ServerSideEncryptionConfigurationNotFoundError'),
    isDeletable: true,
    notes: 'The server does not encrypt.',
  },
  BucketLogging: {
    subResource: 'logging',
    actions: sameNamed('BucketLogging'),
    answer: saysDocument('BucketLoggingStatus'),
    isDeletable: false,
    notes: 'No logs are written to buckets.',
  },
  BucketNotificationConfiguration: {
    subResource: 'notification',
    actions: sameNamed('BucketNotification'),
    answer: saysDocument('NotificationConfiguration'),
    isDeletable: false,
    notes: 'No notifications are sent.',
  },
  BucketPolicy: {
    subResource: 'policy',
    actions: { ...sameNamed('BucketPolicy'), remove: 's3:DeleteBucketPolicy' },
    answer: saysAbsent('NoSuchBucketPolicy'),
    isDeletable: true,
    notes: 'Permissions come from roles, ownership and access control lists.',
  },
  BucketReplication: {
    subResource: 'replication',
    actions: sameNamed('ReplicationConfiguration'),
    answer: saysAbsent('ReplicationConfigurationNotFoundError'),
    isDeletable: true,
    notes: 'Copies at storage providers are no replication between buckets.',
  },
  BucketRequestPayment: {
    subResource: 'requestPayment',
    actions: sameNamed('BucketRequestPayment'),
    answer: saysDocument('RequestPaymentConfiguration', '<Payer>BucketOwner</Payer>'),
    isDeletable: false,
    notes: 'Requesters never pay.',
  },
  BucketWebsite: {
    subResource: 'website',
    actions: sameNamed('BucketWebsite'),
    answer: saysAbsent('NoSuchWebsiteConfiguration'),
    isDeletable: true,
    notes: 'Buckets are not websites.',
  },
  ObjectLockConfiguration: {
    subResource: 'object-lock',
    actions: sameNamed('BucketObjectLockConfiguration'),
    answer: saysAbsent('ObjectLockConfigurationNotFoundError'),
    isDeletable: false,
    notes: 'Versions cannot be locked.',
  },
}

function rowsOf([name, { subResource, actions, answer, isDeletable, notes }]: [string, FixedConfiguration]): [string, OperationRow][] {
  const rows = (isDeletable ? configuration : readWrite)(name, subResource, actions)
  return Object.entries(withHandlers(rows, { GET: fixedAnswer(answer) }, notes))
}

export const fixedRows: Readonly<Record<string, OperationRow>> = Object.fromEntries(Object.entries(fixed).flatMap(rowsOf))
