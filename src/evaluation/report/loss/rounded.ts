/**
 * Rounds points to tenths so that their sum stays 100: those with the largest remainders are rounded up. The points of `fixed` are rounded as
 * everywhere else, so that they are the same figure in every table.
 * @param points that sum up to 100
 */
export function roundedTo<Name extends string>(
  points: Readonly<Record<Name, number>>,
  fixed: NoInfer<Name>,
): Record<Name, number> {
  const names = Object.keys(points) as Name[]
  const tenths = Object.fromEntries(names.map(name => [name, Math.floor(points[name] * 10 + 1e-9)])) as Record<
    Name,
    number
  >
  tenths[fixed] = Math.round(Number(points[fixed].toFixed(1)) * 10)
  const missing = 1000 - names.reduce((sum, name) => sum + tenths[name], 0)
  const roundedUp = names
    .filter(name => name !== fixed && points[name] > 0)
    .sort((left, right) => points[right] * 10 - tenths[right] - (points[left] * 10 - tenths[left]))
    .slice(0, missing)
  for (const name of roundedUp) tenths[name] += 1
  return Object.fromEntries(names.map(name => [name, tenths[name] / 10])) as Record<Name, number>
}
