"""docs/contract.md written again by a stranger: prints the hashes that known_answers.rs expects.

Run as `python stranger.py` with the package `xxhash`. It shares no line with the library. Every
operation is done in binary64 and rounded to binary32 at once, which for + - * / and square root
gives what binary32 itself gives.
"""

import math
import struct

import xxhash

WALLS, TORUS, OPEN = "walls", "torus", "open"
M64 = (1 << 64) - 1


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def add(a, b):
    return f32(a + b)


def sub(a, b):
    return f32(a - b)


def mul(a, b):
    return f32(a * b)


def div(a, b):
    return f32(a / b)


def root(a):
    return f32(math.sqrt(a))


def dot(a):
    return add(mul(a[0], a[0]), mul(a[1], a[1]))


def mix(z):
    z = (z + 0x9E3779B97F4A7C15) & M64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
    return z ^ (z >> 31)


# ---- Order


def canonical_order(scene, bodies):
    radius = scene["radius"]
    spans = []
    for axis in range(2):
        if scene["edges"][axis] == OPEN:
            along = [body["p"][axis] for body in bodies]
            spans.append((min(along), sub(max(along), min(along))))
        else:
            spans.append((0.0, scene["size"][axis]))
    cell = mul(radius, 1.015625)
    while True:
        sides = [mul(cell, 0.5), cell]
        counts = [
            max(1, min(16384, math.floor(div(length, side))))
            for (_, length), side in zip(spans, sides)
        ]
        if counts[0] * counts[1] <= 16 * len(bodies) + 2048:
            break
        cell = mul(cell, 2.0)

    def along(axis, value):
        (start, length), count = spans[axis], counts[axis]
        if count == 1:
            return 0
        place = mul(sub(value, start), div(float(count), length))
        return int(max(0.0, min(float(count - 1), place)))

    return sorted(bodies, key=lambda b: (along(1, b["p"][1]), along(0, b["p"][0]), b["id"]))


# ---- Force


def cut(a, longest):
    length = dot(a)
    if length > mul(longest, longest):
        scale = div(longest, root(length))
        return [mul(a[0], scale), mul(a[1], scale)]
    return a


def steer(direction, body):
    length = dot(direction)
    if not length > 0.0:
        return [0.0, 0.0]
    scale = div(body["max_speed"], root(length))
    wanted = [sub(mul(direction[k], scale), body["v"][k]) for k in range(2)]
    return cut(wanted, body["max_force"])


def offset(scene, mine, theirs):
    offsets = []
    for axis in range(2):
        d, extent = sub(mine[axis], theirs[axis]), scene["size"][axis]
        if scene["edges"][axis] == TORUS:
            if d > mul(extent, 0.5):
                d = sub(d, extent)
            elif d < -mul(extent, 0.5):
                d = add(d, extent)
        offsets.append(d)
    return offsets


def heard(scene, order, body, rules):
    sums = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    reach = [mul(rule[0], rule[0]) if rule else -1.0 for rule in rules]
    for other in order:
        if other["id"] == body["id"]:
            continue
        d = offset(scene, body["p"], other["p"])
        q = dot(d)
        vote = div(1.0, q) if q >= f32(1e-24) else 0.0
        for axis in range(2):
            if q <= reach[0] and q >= f32(1e-24):
                sums[0][axis] = add(sums[0][axis], mul(d[axis], vote))
            if q <= reach[1]:
                sums[1][axis] = add(sums[1][axis], other["v"][axis])
            if q <= reach[2]:
                sums[2][axis] = sub(sums[2][axis], d[axis])
    return sums


def draw(seed, body, k):
    word = mix((seed + body * 0x9E3779B97F4A7C15) & M64)
    word = mix((word + k * 0xD1B54A32D192ED03) & M64)
    return sub(div(float(word >> 40), 8388608.0), 1.0)


def horner(t, coefficients):
    total = f32(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = add(f32(coefficient), mul(t, total))
    return total


def wander(scene, body, tick, distance, radius, period):
    k, t = tick // period, div(float(tick % period), float(period))
    a, b = draw(scene["seed"], body["id"], k), draw(scene["seed"], body["id"], (k + 1) & M64)
    blend = mul(mul(t, t), sub(3.0, mul(2.0, t)))
    u = add(a, mul(sub(b, a), blend))
    half = div(u, 2.0)
    t = mul(half, half)
    odd = [3.1415927, -5.167713, 2.550164, -0.5992645, 0.08214589, -0.007370431]
    even = [1.0, -4.934802, 4.058712, -1.3352628, 0.23533063, -0.02580689, 0.001929574]
    s, c = mul(half, horner(t, odd)), horner(t, even)
    sin, cos = mul(2.0, mul(s, c)), sub(1.0, mul(2.0, mul(s, s)))
    speed = root(dot(body["v"]))
    x, y = [div(part, speed) for part in body["v"]] if speed > 0.0 else [1.0, 0.0]
    side = [sub(mul(x, cos), mul(y, sin)), add(mul(x, sin), mul(y, cos))]
    return [add(mul(h, distance), mul(part, radius)) for h, part in zip([x, y], side)]


def contain(scene, body, margin):
    direction = [0.0, 0.0]
    for axis in range(2):
        if body["p"][axis] < margin:
            direction[axis] += 1.0
        if body["p"][axis] > sub(scene["size"][axis], margin):
            direction[axis] -= 1.0
    return direction


def force(scene, order, body, tick):
    kind = scene["kinds"][body["kind"]]
    terms = [
        (rule[1], direction)
        for rule, direction in zip(kind["rules"], heard(scene, order, body, kind["rules"]))
        if rule
    ]
    for name, weight, *numbers in kind["behaviours"]:
        if name == "wander":
            terms.append((weight, wander(scene, body, tick, *numbers)))
        else:
            terms.append((weight, contain(scene, body, *numbers)))
    total = [0.0, 0.0]
    for weight, direction in terms:
        steering = steer(direction, body)
        total = [add(total[k], mul(weight, steering[k])) for k in range(2)]
    return cut(total, body["max_force"])


# ---- Step


def step(scene, body, force):
    dt = scene["dt"]
    v = [add(body["v"][k], mul(force[k], dt)) for k in range(2)]
    v = cut(v, body["max_speed"])
    p = [add(body["p"][k], mul(v[k], dt)) for k in range(2)]
    for axis in range(2):
        extent, edge = scene["size"][axis], scene["edges"][axis]
        if edge == WALLS:
            if p[axis] < 0.0:
                p[axis], v[axis] = -p[axis], -v[axis]
            elif p[axis] > extent:
                p[axis], v[axis] = sub(mul(2.0, extent), p[axis]), -v[axis]
            p[axis] = extent if p[axis] > extent else p[axis]
            p[axis] = 0.0 if p[axis] < 0.0 else p[axis]
        elif edge == TORUS:
            if p[axis] < 0.0:
                p[axis] = add(p[axis], extent)
            if p[axis] >= extent:
                p[axis] = sub(p[axis], extent)
    return {**body, "p": p, "v": v}


def state_hash(scene, bodies):
    state = struct.pack("<Q", len(bodies))
    for body in bodies:
        state += struct.pack("<I4f", body["id"], *body["p"], *body["v"])
        if len(scene["kinds"]) > 1:
            state += struct.pack("<I", body["kind"])
    return xxhash.xxh3_64_hexdigest(state)


# ---- The scenes of known_answers.rs


def scene(edges):
    behaviours = [("wander", f32(0.15), 6.0, 4.0, 20), ("contain", f32(0.6), 14.0)]
    herd = {"rules": [(16.0, f32(1.6)), (12.0, 1.0), (16.0, f32(0.9))], "behaviours": behaviours}
    loner = {"rules": [(24.0, 1.5), None, (9.0, -0.5)], "behaviours": []}
    return {
        "size": [100.0, 75.0],
        "edges": edges,
        "dt": 0.75,
        "seed": 3,
        "radius": 24.0,
        "kinds": [herd, loner],
        "gaits": [(f32(2.4), f32(0.3)), (1.5, 0.25)],
    }


def populated(scene, n):
    state = 9

    def unit():
        nonlocal state
        word = mix(state)
        state = (state + 0x9E3779B97F4A7C15) & M64
        return div(float(word >> 40), 16777216.0)

    def within(low, high):
        return add(low, mul(sub(high, low), unit()))

    bodies = []
    for k in range(n):
        p = [within(0.0, scene["size"][0]), within(0.0, scene["size"][1])]
        v = [within(-2.0, 2.0), within(-2.0, 2.0)]
        kind = 1 if k % 3 == 0 else 0
        max_speed, max_force = (3.0, 0.5) if k % 7 == 0 else scene["gaits"][kind]
        body = {"id": k, "kind": kind, "p": p, "v": v}
        bodies.append({**body, "max_speed": max_speed, "max_force": max_force})
    return bodies


def main():
    for edges in [[WALLS, TORUS], [TORUS, OPEN], [OPEN, WALLS]]:
        run = scene(edges)
        bodies = populated(run, 60)
        for tick in range(40):
            order = canonical_order(run, bodies)
            bodies = [step(run, body, force(run, order, body, tick)) for body in bodies]
        print(edges, state_hash(run, bodies))


if __name__ == "__main__":
    main()
