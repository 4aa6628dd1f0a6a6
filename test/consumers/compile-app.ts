import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { run } from '../../scripts/lib/run.mjs'
import type { Compilation } from './type-setups.ts'

/** Compiles the app of `apps/types` in each way; resolves to what the compiler, a script, complains of. */
export async function compileApp(
  folder: string,
  compiler: string,
  compilations: readonly Compilation[],
): Promise<readonly object[]> {
  const complaints: object[] = []
  const config = path.join(folder, 'tsconfig.json')
  for (const compilation of compilations) {
    writeFileSync(config, JSON.stringify(configOf(compilation)))
    const { code, output } = await run(process.execPath, [compiler, '-p', config], { quiet: true })
    if (code !== 0) complaints.push({ ...compilation, output })
  }
  return complaints
}

function configOf({ resolution, lib, exactOptional }: Compilation): object {
  const isNodes = resolution === 'node16' || resolution === 'nodenext'
  const compilerOptions = {
    target: 'ES2022',
    module: isNodes ? resolution : 'ESNext',
    moduleResolution: resolution,
    lib,
    types: [],
    strict: true,
    exactOptionalPropertyTypes: exactOptional,
    skipLibCheck: false,
    noEmit: true,
  }
  // Where the lib has no `Symbol.asyncDispose`, there is no `await using` either.
  const disposal = lib.includes('ESNext') ? ['src/using.ts'] : []
  return { compilerOptions, files: ['src/app.ts', 'src/entries.ts', ...disposal] }
}
