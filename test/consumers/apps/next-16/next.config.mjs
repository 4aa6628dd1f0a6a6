// The app lies within another project here; without that, no configuration would be needed.
export default {
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
}
