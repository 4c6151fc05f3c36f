/** The part of jStat that is used here. It has no types of its own. */
declare module 'jstat' {
  interface Distribution {
    cdf(value: number, ...parameters: number[]): number
    inv(share: number, ...parameters: number[]): number
  }
  const jstat: { normal: Distribution; studentt: Distribution; chisquare: Distribution }
  export default jstat
}
