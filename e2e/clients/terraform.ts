import { GetBucketTaggingCommand } from '@aws-sdk/client-s3'
import { bucket, type Client } from './client.ts'
import { shell } from './languages/languages.ts'
import { requireObject } from './round-files.ts'
import { prints, requireNoBucket } from './steps.ts'

export const terraform: Client = {
  name: 'terraform',
  program: { name: 'terraform', versionArgs: ['version'], version: /^Terraform v/ },
  language: shell,
  download: {
    commands: 'terraform init -no-color',
    unreachable: /Failed to query available provider packages/,
    reason: 'the provider hashicorp/aws cannot be downloaded here',
  },
  settings: `\
cat > main.tf <<'END'
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

provider "aws" {
  s3_use_path_style           = true
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
}

resource "aws_s3_bucket" "photos" {
  bucket        = "photos"
  force_destroy = true
  tags          = { album = "2026" }
}

resource "aws_s3_object" "small" {
  bucket = aws_s3_bucket.photos.id
  key    = "small.bin"
  source = "small.bin"
  etag   = filemd5("small.bin")
}
END`,
  steps: [
    { name: 'initialise', commands: 'terraform init -no-color', check: prints(/successfully initialized/) },
    {
      name: 'create a bucket and an object',
      commands: 'terraform apply -no-color -auto-approve',
      check: async (round) => {
        await requireObject(round, 'small.bin')
        await round.s3.send(new GetBucketTaggingCommand({ Bucket: bucket }))
      },
    },
    { name: 'plan without changes', commands: 'terraform plan -no-color -detailed-exitcode', check: prints(/No changes/) },
    { name: 'destroy', commands: 'terraform destroy -no-color -auto-approve', check: ({ s3 }) => requireNoBucket(s3) },
  ],
}
