/** Languages whose steps are compiled once, into a program that takes the name of a step. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client, Language, Place } from '../client.ts'
import { runProgram } from '../run-program.ts'

const buildMs = 900_000

/** Uses the environment of this machine's user, whose caches the compilers need. */
const build = ({ dir }: Place, ...command: readonly string[]) => runProgram(command, { cwd: dir, env: process.env, timeoutMs: buildMs })

type Packages = Readonly<Record<string, string>>

export const go = (packages: Packages): Language => ({
  fence: 'go',
  async prepare(client, place) {
    writeFileSync(join(place.dir, 'main.go'), goProgram(client))
    await build(place, 'go', 'mod', 'init', 'photos')
    await build(place, 'go', 'get', ...Object.entries(packages).map(([name, version]) => `${name}@${version}`))
    await build(place, 'go', 'build', '-o', 'photos-program', 'main.go')
  },
  command: (_client, { name }) => ['./photos-program', name],
})

function goProgram({ settings, steps }: Client): string {
  const functions = steps.map(({ name, commands }) => `${JSON.stringify(name)}: func() {\n${commands}\n},\n`)
  return `${settings}\n\nfunc main() {\nmap[string]func(){\n${functions.join('')}}[os.Args[1]]()\n}\n`
}

export const java = (packages: Packages): Language => ({
  fence: 'java',
  async prepare(client, place) {
    writeFileSync(join(place.dir, 'pom.xml'), mavenProject(packages))
    writeFileSync(join(place.dir, 'Steps.java'), javaProgram(client))
    await build(place, 'mvn', '-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib')
    await build(place, 'javac', '-cp', 'lib/*', 'Steps.java')
  },
  command: (_client, { name }) => ['java', '-cp', 'lib/*:.', 'Steps', name],
})

function javaProgram({ settings, steps }: Client): string {
  const cases = steps.map(({ name, commands }) => `case ${JSON.stringify(name)} -> {\n${commands}\n}\n`)
  return `${settings}\n\nclass Steps extends Photos {\npublic static void main(String[] args) {\nswitch (args[0]) {\n${cases.join('')}}\n}\n}\n`
}

function mavenProject(packages: Packages): string {
  const dependencies = Object.entries(packages).map(([name, version]) => {
    const [group, artifact] = name.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`
  })
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>photos</groupId><artifactId>photos</artifactId><version>1</version>
<dependencies>${dependencies.join('')}</dependencies></project>
`
}
