/*
 * outside.c - a program of somebody else's, to be built against an installed
 * copy as C and as C++
 */

#include <tessera.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    struct tessera_config config = TESSERA_CONFIG_INIT;
    struct tessera_sampler *sampler;
    char version[32];

    config.vocab = 8;
    if (tessera_create(&config, &sampler) != TESSERA_OK) {
        fprintf(stderr, "%s\n", tessera_last_error());
        return 1;
    }
    tessera_free(sampler);

    /* The header and the library are of one version. */
    snprintf(version, sizeof(version), "%d.%d.%d", TESSERA_VERSION_MAJOR,
             TESSERA_VERSION_MINOR, TESSERA_VERSION_PATCH);
    printf("tessera %s\n", tessera_version());
    return strcmp(version, tessera_version()) != 0;
}
