import type { Client } from '../client.ts'
import { wholeRound } from '../steps.ts'
import { go } from './compiled-languages.ts'

export const goSdk: Client = {
  name: 'go-sdk',
  program: { name: 'go', versionArgs: ['version'], version: /^go version go1\.(2[4-9]|[3-9]\d)/ },
  language: go({
    'github.com/aws/aws-sdk-go-v2': 'v1.47.3',
    'github.com/aws/aws-sdk-go-v2/config': 'v1.33.9',
    'github.com/aws/aws-sdk-go-v2/feature/s3/manager': 'v1.23.14',
    'github.com/aws/aws-sdk-go-v2/service/s3': 'v1.114.3',
  }),
  settings: `\
package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/s3/manager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

var ctx = context.Background()
var client = s3.NewFromConfig(must(config.LoadDefaultConfig(ctx)), func(o *s3.Options) { o.UsePathStyle = true })
var bucket = aws.String("photos")

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func upload(key string) {
	file := must(os.Open(key))
	must(manager.NewUploader(client).Upload(ctx, &s3.PutObjectInput{Bucket: bucket, Key: &key, Body: file}))
}

func list(prefix string) []types.Object {
	return must(client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: bucket, Prefix: &prefix})).Contents
}

func listVersions(prefix string) *s3.ListObjectVersionsOutput {
	return must(client.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: bucket, Prefix: &prefix}))
}

func remove(objects []types.ObjectIdentifier) {
	must(client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: bucket, Delete: &types.Delete{Objects: objects}}))
}`,
  ...wholeRound({
    'make a bucket': 'must(client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: bucket}))',
    'upload a small file': 'upload("small.bin")',
    'upload a large file':
      'must(client.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: aws.String("large.bin"), Body: must(os.Open("large.bin"))}))',
    'upload in parts': 'upload("parts.bin")',
    list: 'for _, object := range list("") {\n\tfmt.Println(*object.Key)\n}',
    'upload a folder': `\
must(0, filepath.WalkDir("files", func(path string, entry fs.DirEntry, err error) error {
	if err == nil && !entry.IsDir() {
		upload(path)
	}
	return err
}))`,
    'download a folder': `\
for _, object := range list("files/") {
	path := strings.Replace(*object.Key, "files/", "back/", 1)
	must(0, os.MkdirAll(filepath.Dir(path), 0o755))
	must(manager.NewDownloader(client).Download(ctx, must(os.Create(path)), &s3.GetObjectInput{Bucket: bucket, Key: object.Key}))
}`,
    'read a range': `\
part := must(client.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String("large.bin"), Range: aws.String("bytes=100-299")}))
must(io.Copy(must(os.Create("range.bin")), part.Body))`,
    'copy on the server':
      'must(client.CopyObject(ctx, &s3.CopyObjectInput{Bucket: bucket, Key: aws.String("copy.bin"), CopySource: aws.String("photos/parts.bin")}))',
    'move on the server': `\
must(client.CopyObject(ctx, &s3.CopyObjectInput{Bucket: bucket, Key: aws.String("moved.bin"), CopySource: aws.String("photos/copy.bin")}))
must(client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: aws.String("copy.bin")}))`,
    'link for a download': `\
link := must(s3.NewPresignClient(client).PresignGetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String("small.bin")}))
fmt.Println(link.URL)`,
    'link for an upload': `\
link := must(s3.NewPresignClient(client).PresignPutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: aws.String("linked.bin")}))
fmt.Println(link.URL)`,
    'delete many objects': `\
var objects []types.ObjectIdentifier
for _, object := range list("files/") {
	objects = append(objects, types.ObjectIdentifier{Key: object.Key})
}
remove(objects)`,
    'list versions': 'for _, version := range listVersions("small").Versions {\n\tfmt.Println(*version.Key, *version.VersionId)\n}',
    'remove the bucket': `\
all := listVersions("")
var versions []types.ObjectIdentifier
for _, version := range all.Versions {
	versions = append(versions, types.ObjectIdentifier{Key: version.Key, VersionId: version.VersionId})
}
for _, marker := range all.DeleteMarkers {
	versions = append(versions, types.ObjectIdentifier{Key: marker.Key, VersionId: marker.VersionId})
}
remove(versions)
must(client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: bucket}))`,
  }),
}
