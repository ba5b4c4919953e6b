//! What the built-in types look like on the wire. Written by tests/protobuf/generate; never by hand.

use super::schema::{Field, INLINE, Kind as K, Message, NULLABLE, REQUIRED, SKIP_ZERO, Shape as S, field as f, message as m};

/// The release of Kubernetes whose types these are.
pub(super) const RELEASE: &str = "1.37";

/// Members' names, one after another, and one within another.
pub(super) static NAMES: &str = "ignoreStoreReadErrorWithClusterBreakingPotentialpreferredDuringSchedulingIgnoredDuringExecutionrequiredDuringS\
chedulingIgnoredDuringExecutionnodeAllocatableResourceClaimStatusespersistentVolumeClaimRetentionPolicyx-kuber\
netes-preserve-unknown-fieldsnodeAllocatableUpdatePeriodSecondscurrentVolumeAttributesClassNamecurrentCPUUtili\
zationPercentagenodeAllocatableResourceMappingstargetVolumeAttributesClassNametargetCPUUtilizationPercentagex-\
kubernetes-embedded-resourceallocateLoadBalancerNodePortsdefaultPartitionTypeAttributepersistentVolumeReclaimP\
olicypreventPodSchedulingIfMissingterminationGracePeriodSecondsautomountServiceAccountTokeninsecureSkipTLSVeri\
fyBackendserviceAccountTokenInSecretsextendedResourceClaimStatusparentCompositePodGroupNamecompositePodGroupTe\
mplatescontrollerPublishSecretRefdeletionGracePeriodSecondsephemeralContainerStatusespriorityLevelConfiguratio\
nserverAddressByClientCIDRsstabilizationWindowSecondssuccessfulJobsHistoryLimitunhealthyPodEvictionPolicyx-kub\
ernetes-int-or-stringx-kubernetes-list-map-keysallocatedResourceStatusescontrollerExpandSecretRefpartiallyAvai\
lableDevicesresourceClaimTemplateNametopologySpreadConstraintsunverifiedUserAnnotationsvolumeAttributesClassNa\
meadditionalPrinterColumnsallocatedResourcesStatusallowMultipleAllocationsallowPrivilegeEscalationassuredConcu\
rrencySharesbindingFailureConditionsconversionReviewVersionsdeprecatedFirstTimestamploadBalancerSourceRangesno\
deAllocatableResourcesnominalConcurrencySharespublishNotReadyAddressessupplementalGroupsPolicyterminationMessa\
gePolicyx-kubernetes-validationsadmissionReviewVersionscontainerRuntimeVersiondeprecatedLastTimestampdisableRe\
sizePreemptionlastPhaseTransitionTimeparameterNotFoundActionprogressDeadlineSecondsrecursiveReadOnlyMountsstar\
tingDeadlineSecondsttlSecondsAfterFinisheduncountedTerminatedPodscurrentNumberScheduleddesiredNumberSchedulede\
xpectedCompletionTimefailedJobsHistoryLimitgmsaCredentialSpecNamepartitionTypeAttributeperDeviceNodeSelectionr\
eadOnlyRootFilesystemrunningInUserNamespaceterminationMessagePathupdatedNumberScheduledx-kubernetes-list-typea\
ctiveDeadlineSecondsborrowingLimitPercentcommonEncodingVersionexternalTrafficPolicyfullyAvailableDevicesinitCo\
ntainerStatusesinternalTrafficPolicymatchLabelExpressionsnonResourceAttributespreserveUnknownFieldsresourceCla\
imStatusesschedulingConstraintssessionAffinityConfigshareProcessNamespacex-kubernetes-map-typeadditionalProper\
tiesallocationMultiplierallowVolumeExpansionawsElasticBlockStorebackoffLimitPerIndexcertificateChainPathcluste\
rRoleSelectorscredentialBundlePathexcludeResourceRulesextendedResourceNamefullyLabeledReplicasgroupPriorityMin\
imumleaseDurationSecondsmaxExpirationSecondsmaxLimitRequestRationodePublishSecretRefpersistentVolumeNamephoton\
PersistentDiskpodGroupTemplateNamepodReplacementPolicyresourceVersionMatchrevisionHistoryLimitvolumeClaimTempl\
atesvolumeLifecycleModesallocationTimestampallowWatchBookmarkscompatibilityGroupsdistinguisherMethodephemeralC\
ontainersexpirationTimestampfsGroupChangePolicyhealthCheckNodePortinitialDelaySecondsnodeExpandSecretRefpodGro\
upTemplateRefpodManagementPolicypodPreemptionPolicyreportingControllerseLinuxChangePolicytargetContainerNamete\
rminatingReplicastrafficDistributionunavailableReplicasapplyConfigurationattachmentMetadataaverageUtilizationb\
lockOwnerDeletioncapacityMultiplierclusterTrustBundledeprecatedTopologydeprecationWarningdisruptionsAllowedena\
bleServiceLinksendpointsNamespaceevictionRespondersexpressionWarningsgracePeriodSecondslastSuccessfulTimelastT\
ransitionTimematchingPrecedencemodifyVolumeStatusnodeAffinityPolicynodeStageSecretRefnumberMisscheduledobserve\
dGenerationreinvocationPolicyremainingItemCountreportingComponentrequestSubResourceresourceAttributesresourceS\
liceCountrestartPolicyRulesserviceAccountNameskipNodeOperationsstatusReplicasPathstorageVersionHashtemplateGen\
erationunavailableDevicesupdatedAnnotationsallowedTopologiesbindingConditionschapAuthDiscoveryconcurrencyPolic\
ycontainerResourcecontainerStatusescreationTimestampdecodableVersionsdeletionTimestampderivedAttributesdesired\
APIVersiondistinctAttributeexpirationSecondsgcePersistentDisklabelSelectorPathlastHeartbeatTimeloadBalancerCla\
ssmaximumVolumeSizemessageExpressionmismatchLabelKeysnamespaceSelectornodeSelectorTermsnominatedNodeNamenotRea\
dyAddressesnumberUnavailablepatternPropertiespodGroupTemplatespriorityClassNameproofOfPossessionpropagationPol\
icyreportingInstancerequiresRepublishresourceClaimNameretryAfterSecondssendInitialEventsserviceAccountUIDsetHo\
stnameAsFQDNstoragePolicyNamestubPKCS10RequesttolerationSecondsvalidationActionsvolumeBindingModewhenUnsatisfi\
ableallocatedDevicesauditAnnotationsbindMountOptionscompletedIndexesconsumedCapacityconsumesCountersconvertedO\
bjectsdeclaredFeaturesdeprecatedSourcedeviceMultiplieremulationVersionexclusiveMaximumexclusiveMinimumfailureT\
hresholdhealthConditionshostnameOverrideimagePullSecretsingressClassNameinlineVolumeSpeckubeProxyVersionkubele\
tConfigKeylastObservedTimelastScheduleTimeleaseTransitionslocalhostProfilematchConstraintsmatchExpressionsmaxF\
ailedIndexesmountPropagationnodeTaintsPolicynonResourceRulesorphanDependentspartitionSummarypodFailurePolicypr\
eemptionPolicypreferredVersionprotectionDomainqueueLengthLimitresourceFieldRefruntimeClassNameschedulingPolicy\
selectableFieldsshareableSummarysingularResourcespecReplicasPathstorageClassNamesucceededIndexessuccessThresho\
ldtargetRespondersadditionalItemsaggregationRuleappArmorProfilechapAuthSessionconfigMapKeyRefcurrentReplicascu\
rrentRevisiondaemonEndpointsdeprecatedCountdescribedObjectdesiredReplicasdeviceClassNameencodingVersionevaluat\
ionErrorfieldValidationhardwareAddressimagePullPolicykubeletEndpointlendablePercentmatchConditionsminReadySeco\
ndsnonResourceURLsnumberAvailableonPodConditionsopenAPIV3SchemaoperatingSystemoptionalOldSelfownerReferencespo\
dAffinityTermpodAntiAffinitypreferredHolderrequestMappingsrequestResourceruntimeHandlersschedulingGatesschedul\
ingGroupsecretNamespacesecurityContextstorageCapacitystoragePolicyIDstorageVersionsupdatedReplicasuserAnnotati\
onsvalidationErrorvalueExpressionversionPriorityvolumeNamespacevolumesAttachedallocationModeattachRequiredbegi\
nRefreshAtboundObjectRefcollisionCountcompletionModecompletionTimecurrentHealthycurrentMetricsdefaultBackendde\
faultRequestdesiredHealthydeviceSelectordisruptionModefirstAvailablefirstTimestampholderIdentityinitContainers\
involvedObjectipFamilyPolicyiscsiInterfacekubeletVersionlastUpdateTimeloadBalancerIPmanualSelectormatchAttribu\
tematchResourcesmaxUnavailableobjectSelectorpodCertificatepodInfoOnMountportworxVolumereadinessGatesreadinessP\
roberesourceClaimsscaleTargetRefseLinuxOptionsseccompProfileservedVersionssharedCountersstoredVersionssucceede\
dCounttargetSelectortimeoutSecondsupdateRevisionupdateStrategyuserNamespaceswindowsOptionsacceptedNamesaccepte\
dTypesauthenticatedbinaryVersionconditionTypecontainerNamecontainerPortcontrollerRefdataSourceRefdeleteOptions\
disruptedPodsfailedIndexesfailurePolicyfieldSelectorfsGroupPolicyglobalDefaultheartbeatTimeincludeObjectinitia\
torNameinterfaceNamekernelVersionlastKnownGoodlastProbeTimelastScaleTimelastTimestamplimitResponselivenessProb\
emanagedFieldsmaxPropertiesminGroupCountminPropertiesperiodSecondspkixPublicKeypreconditionsreadyReplicasrecla\
imPolicyrequestPolicyresourceNamesresourceRulesrollingUpdaterunAsUserNameschedulerNamescopeSelectorshardSelect\
orstorageHealthsuccessPolicytokenRequestsunschedulablevolumeDevicesvsphereVolumearchitectureattestationsaverag\
eValuecapabilitiesclientConfigclusterScopeconfigMapRefconfigSourcedependenciesexpectedPodsexternalDocsexternal\
NamefieldManagergenerateNamegroupVersionhealthStatusminAvailablemountOptionsnodeTopologyperContainerpodGroupNa\
merequirementsresizePolicyresponseKindrestartCountrunAsNonRootseLinuxMountsecretKeyRefselectPolicysinceSeconds\
singularNamestartupProbesubresourcestargetPortaltemplateNametopologyKeystotalDevicestypeCheckingvolumeHandlevo\
lumeHealthvolumeMountsvolumeStatusvolumesInUseworkloadNameJSONSchemasaccessModesacquireTimeaddressTypeadminAcc\
essallocatableannotationsapiServerIDapiVersionsappProtocolattachErrorbindsToNodecachingModecapacityKeycompleti\
onsconstraintscontainerIDdatasetNamedatasetUUIDdefaultModedefaultUserdefinitionsdescriptiondetachErrordownward\
APIexternalIPshostAliaseshostNetworkhostProcesshttpHeadersjobTemplatematchFieldsmatchLabelsmatchPolicymaxRepli\
casminReplicasnameserversnetworkDatanumberReadyonExitCodesparallelismpodSelectorpolicyTypesprovisionerrawSelec\
torrequestKindrequestNamereservedForserviceNameservicePortsideEffectsstorageModestoragePoolsubPathExprsubResou\
rcetolerationstrustBundleuniqueItemsvalidValueswhenDeletedworkloadRefattributesbinaryDatacategoriesclientCIDRc\
lusterIPscontainerscounterSetdevicePathdriverNameexternalIDfieldsTypefileKeyReffinalizersfinishedAtflexVolumeg\
enerationincompleteipFamilieslimitBytesminDomainsmultipleOfnamespacednamespacesoperationsparameterspolicyNamep\
referenceprivilegedpropertiesproviderIDpullPolicyrepositoryrequestersresourceIDrespondersrollbackTorunAsGroups\
ecretFileshortNamessignerNamesslEnabledstopSignalstringDatasystemUUIDtargetWWNsterminatedtimestampsvalidRangev\
olumeModevolumePathwhenScaledworkingDiraddressesapiGroupsaudiencesazureDiskazureFileclaimNamecomponentdirector\
ydnsConfigdnsPolicyerrorCodeeventTimeexitCodesfieldPathfreshnessglusterfshostUsershostnamesimmutablejsonPatchl\
astStateleaseNamelifecyclemachineIDmanagedBymaxLengthminLengthmountPathmutationsnotBeforeoldObjectparamKindpar\
entRefpatchTypepoolCountpostStartprocMountprojectedregardingrenewTimescaleDownscopeNamesecretRefselectorsshard\
InfoshareNamesinceTimesizeBytessizeLimitstartTimestartedAtstdinOncestorageossubdomaintailLinestargetReftcpSock\
ettimeAddedtolerancevalueFromvariablesPropertyaffinityallNodesassignedattachedattacherbehaviorcaBundleclaimRef\
clientIPcontinuecountersdiskNameemptyDirfeaturesfieldReffieldsV1forNodesforZoneshandSizehostPathhostPortimageR\
efjsonPathlistKindmaxItemsmaxSurgemetadataminCountminItemsmonitorsnodeInfonodeNamenodePortnotAfternullableoper\
atorordinalsoverheadparamRefpathTypepingTimepodCIDRspodFixedpoliciespoolNamepreviousprotocolqosClassquantityre\
gistryreplicasrequestssearchesselfLinkstrategysubjectstimeZoneuserInfousernameversionsvolumeIDwarningswebhooks\
$schemabackendcommanddetailsdevicesdiskURIdivisordriversendPortenvFromexactlyexampleflockergatewaygitRepohandl\
erhostIPChostIPshostPIDhttpGetimageIDipBlockkeyPathkeyTypekeyringlimitedmanagermappingmaxSkewmetricsminimumnod\
eUIDobjectsoptionsosImagepodNameportalspreStopqueuingquobyterelatedresultsroleRefscaleIOscaleUpsecondssecretss\
ervingshareIDstringssubsetssuspendsysctlswaitingAllowsactionbootIDcausescephfscinderclaimsdenieddryRuneffecteg\
ressexceptexemptfollowformatfsTypegroupsimagesintentipModelabelslimitsmediumnodeIDopaquepausedpdNameperPodplur\
alpodIPspodUIDprefixqueuesreasonschemescopesseriessignalsinglestderrstdoutstreamtaintstenantusagesvaluesweight\
allOfanyOfbasicboolscidrsextraforcehintshostsitemslevellinuxoneOfpathsphasepoolsportsrangerulessleepstatetitle\
verbswatchwwids$refargscodedropenumexecfromganggrpckindmodenotepdIDpodsstepswapzonecelgidipsiqnlunnfsrbdttyuid\
url";

/// The kinds that are served: apiVersion, kind, number of the message; in order.
pub(super) static ROOTS: [(&str, &str, u16); 359] = [
    ("admission.k8s.io/v1", "AdmissionReview", 2),
    ("admission.k8s.io/v1beta1", "AdmissionReview", 2),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", 8),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", 9),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBindingList", 10),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyList", 12),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", 15),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfigurationList", 16),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", 25),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", 26),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBindingList", 27),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyList", 29),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", 33),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfigurationList", 34),
    ("admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicy", 8),
    ("admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicyBinding", 9),
    ("admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicyBindingList", 10),
    ("admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicyList", 12),
    ("admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicy", 25),
    ("admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicyBinding", 26),
    ("admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicyBindingList", 27),
    ("admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicyList", 29),
    ("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicy", 8),
    ("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicyBinding", 9),
    ("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicyBindingList", 10),
    ("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicyList", 12),
    ("admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration", 38),
    ("admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfigurationList", 39),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicy", 25),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicyBinding", 26),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicyBindingList", 27),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicyList", 29),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingWebhookConfiguration", 41),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingWebhookConfigurationList", 42),
    ("apidiscovery.k8s.io/v2", "APIGroupDiscovery", 43),
    ("apidiscovery.k8s.io/v2", "APIGroupDiscoveryList", 44),
    ("apidiscovery.k8s.io/v2beta1", "APIGroupDiscovery", 43),
    ("apidiscovery.k8s.io/v2beta1", "APIGroupDiscoveryList", 44),
    ("apiextensions.k8s.io/v1", "ConversionReview", 687),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition", 690),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinitionList", 692),
    ("apiregistration.k8s.io/v1", "APIService", 739),
    ("apiregistration.k8s.io/v1", "APIServiceList", 740),
    ("apps/v1", "ControllerRevision", 54),
    ("apps/v1", "ControllerRevisionList", 55),
    ("apps/v1", "DaemonSet", 56),
    ("apps/v1", "DaemonSetList", 58),
    ("apps/v1", "Deployment", 62),
    ("apps/v1", "DeploymentList", 64),
    ("apps/v1", "ReplicaSet", 67),
    ("apps/v1", "ReplicaSetList", 68),
    ("apps/v1", "StatefulSet", 73),
    ("apps/v1", "StatefulSetList", 74),
    ("apps/v1beta1", "ControllerRevision", 54),
    ("apps/v1beta1", "ControllerRevisionList", 55),
    ("apps/v1beta1", "Deployment", 80),
    ("apps/v1beta1", "DeploymentList", 81),
    ("apps/v1beta1", "DeploymentRollback", 82),
    ("apps/v1beta1", "Scale", 85),
    ("apps/v1beta1", "StatefulSet", 88),
    ("apps/v1beta1", "StatefulSetList", 89),
    ("apps/v1beta2", "ControllerRevision", 54),
    ("apps/v1beta2", "ControllerRevisionList", 55),
    ("apps/v1beta2", "DaemonSet", 56),
    ("apps/v1beta2", "DaemonSetList", 58),
    ("apps/v1beta2", "Deployment", 62),
    ("apps/v1beta2", "DeploymentList", 64),
    ("apps/v1beta2", "ReplicaSet", 67),
    ("apps/v1beta2", "ReplicaSetList", 68),
    ("apps/v1beta2", "Scale", 85),
    ("apps/v1beta2", "StatefulSet", 73),
    ("apps/v1beta2", "StatefulSetList", 74),
    ("authentication.k8s.io/v1", "SelfSubjectReview", 94),
    ("authentication.k8s.io/v1", "TokenRequest", 96),
    ("authentication.k8s.io/v1", "TokenReview", 99),
    ("authentication.k8s.io/v1alpha1", "SelfSubjectReview", 94),
    ("authentication.k8s.io/v1beta1", "SelfSubjectReview", 94),
    ("authentication.k8s.io/v1beta1", "TokenReview", 99),
    ("authorization.k8s.io/v1", "LocalSubjectAccessReview", 104),
    ("authorization.k8s.io/v1", "SelfSubjectAccessReview", 109),
    ("authorization.k8s.io/v1", "SelfSubjectRulesReview", 111),
    ("authorization.k8s.io/v1", "SubjectAccessReview", 104),
    ("authorization.k8s.io/v1beta1", "LocalSubjectAccessReview", 116),
    ("authorization.k8s.io/v1beta1", "SelfSubjectAccessReview", 109),
    ("authorization.k8s.io/v1beta1", "SelfSubjectRulesReview", 111),
    ("authorization.k8s.io/v1beta1", "SubjectAccessReview", 116),
    ("autoscaling/v1", "HorizontalPodAutoscaler", 119),
    ("autoscaling/v1", "HorizontalPodAutoscalerList", 120),
    ("autoscaling/v1", "Scale", 123),
    ("autoscaling/v2", "HorizontalPodAutoscaler", 131),
    ("autoscaling/v2", "HorizontalPodAutoscalerList", 134),
    ("batch/v1", "CronJob", 146),
    ("batch/v1", "CronJobList", 147),
    ("batch/v1", "Job", 150),
    ("batch/v1", "JobList", 152),
    ("batch/v1beta1", "CronJob", 146),
    ("batch/v1beta1", "CronJobList", 147),
    ("certificates.k8s.io/v1", "CertificateSigningRequest", 164),
    ("certificates.k8s.io/v1", "CertificateSigningRequestList", 166),
    ("certificates.k8s.io/v1", "ClusterTrustBundle", 169),
    ("certificates.k8s.io/v1", "ClusterTrustBundleList", 170),
    ("certificates.k8s.io/v1", "PodCertificateRequest", 172),
    ("certificates.k8s.io/v1", "PodCertificateRequestList", 173),
    ("certificates.k8s.io/v1alpha1", "ClusterTrustBundle", 169),
    ("certificates.k8s.io/v1alpha1", "ClusterTrustBundleList", 170),
    ("certificates.k8s.io/v1beta1", "CertificateSigningRequest", 176),
    ("certificates.k8s.io/v1beta1", "CertificateSigningRequestList", 177),
    ("certificates.k8s.io/v1beta1", "ClusterTrustBundle", 169),
    ("certificates.k8s.io/v1beta1", "ClusterTrustBundleList", 170),
    ("certificates.k8s.io/v1beta1", "PodCertificateRequest", 179),
    ("certificates.k8s.io/v1beta1", "PodCertificateRequestList", 180),
    ("coordination.k8s.io/v1", "Lease", 182),
    ("coordination.k8s.io/v1", "LeaseList", 183),
    ("coordination.k8s.io/v1alpha2", "LeaseCandidate", 185),
    ("coordination.k8s.io/v1alpha2", "LeaseCandidateList", 186),
    ("coordination.k8s.io/v1beta1", "Lease", 182),
    ("coordination.k8s.io/v1beta1", "LeaseCandidate", 185),
    ("coordination.k8s.io/v1beta1", "LeaseCandidateList", 186),
    ("coordination.k8s.io/v1beta1", "LeaseList", 183),
    ("discovery.k8s.io/v1", "EndpointSlice", 422),
    ("discovery.k8s.io/v1", "EndpointSliceList", 423),
    ("discovery.k8s.io/v1beta1", "EndpointSlice", 425),
    ("discovery.k8s.io/v1beta1", "EndpointSliceList", 426),
    ("events.k8s.io/v1", "Event", 427),
    ("events.k8s.io/v1", "EventList", 428),
    ("events.k8s.io/v1beta1", "Event", 427),
    ("events.k8s.io/v1beta1", "EventList", 428),
    ("extensions/v1beta1", "DaemonSet", 430),
    ("extensions/v1beta1", "DaemonSetList", 431),
    ("extensions/v1beta1", "Deployment", 80),
    ("extensions/v1beta1", "DeploymentList", 81),
    ("extensions/v1beta1", "DeploymentRollback", 82),
    ("extensions/v1beta1", "Ingress", 436),
    ("extensions/v1beta1", "IngressList", 438),
    ("extensions/v1beta1", "NetworkPolicy", 446),
    ("extensions/v1beta1", "NetworkPolicyList", 449),
    ("extensions/v1beta1", "ReplicaSet", 453),
    ("extensions/v1beta1", "ReplicaSetList", 454),
    ("extensions/v1beta1", "Scale", 85),
    ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", 458),
    ("flowcontrol.apiserver.k8s.io/v1", "FlowSchemaList", 460),
    ("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", 467),
    ("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfigurationList", 468),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema", 458),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchemaList", 460),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "PriorityLevelConfiguration", 475),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "PriorityLevelConfigurationList", 476),
    ("flowcontrol.apiserver.k8s.io/v1beta2", "FlowSchema", 458),
    ("flowcontrol.apiserver.k8s.io/v1beta2", "FlowSchemaList", 460),
    ("flowcontrol.apiserver.k8s.io/v1beta2", "PriorityLevelConfiguration", 475),
    ("flowcontrol.apiserver.k8s.io/v1beta2", "PriorityLevelConfigurationList", 476),
    ("flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema", 458),
    ("flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchemaList", 460),
    ("flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfiguration", 479),
    ("flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfigurationList", 480),
    ("imagepolicy.k8s.io/v1alpha1", "ImageReview", 482),
    ("internal.apiserver.k8s.io/v1alpha1", "StorageVersion", 49),
    ("internal.apiserver.k8s.io/v1alpha1", "StorageVersionList", 51),
    ("lifecycle.k8s.io/v1alpha1", "Eviction", 486),
    ("lifecycle.k8s.io/v1alpha1", "EvictionList", 487),
    ("lifecycle.k8s.io/v1alpha1", "EvictionRequest", 489),
    ("lifecycle.k8s.io/v1alpha1", "EvictionRequestList", 490),
    ("meta.k8s.io/v1", "PartialObjectMetadata", 727),
    ("meta.k8s.io/v1", "PartialObjectMetadataList", 728),
    ("meta.k8s.io/v1", "TableOptions", 736),
    ("networking.k8s.io/v1", "IPAddress", 501),
    ("networking.k8s.io/v1", "IPAddressList", 502),
    ("networking.k8s.io/v1", "Ingress", 504),
    ("networking.k8s.io/v1", "IngressClass", 506),
    ("networking.k8s.io/v1", "IngressClassList", 507),
    ("networking.k8s.io/v1", "IngressList", 510),
    ("networking.k8s.io/v1", "NetworkPolicy", 446),
    ("networking.k8s.io/v1", "NetworkPolicyList", 449),
    ("networking.k8s.io/v1", "ServiceCIDR", 517),
    ("networking.k8s.io/v1", "ServiceCIDRList", 518),
    ("networking.k8s.io/v1beta1", "IPAddress", 501),
    ("networking.k8s.io/v1beta1", "IPAddressList", 502),
    ("networking.k8s.io/v1beta1", "Ingress", 436),
    ("networking.k8s.io/v1beta1", "IngressClass", 506),
    ("networking.k8s.io/v1beta1", "IngressClassList", 507),
    ("networking.k8s.io/v1beta1", "IngressList", 438),
    ("networking.k8s.io/v1beta1", "ServiceCIDR", 517),
    ("networking.k8s.io/v1beta1", "ServiceCIDRList", 518),
    ("node.k8s.io/v1", "RuntimeClass", 522),
    ("node.k8s.io/v1", "RuntimeClassList", 523),
    ("node.k8s.io/v1alpha1", "RuntimeClass", 525),
    ("node.k8s.io/v1alpha1", "RuntimeClassList", 526),
    ("node.k8s.io/v1beta1", "RuntimeClass", 522),
    ("node.k8s.io/v1beta1", "RuntimeClassList", 523),
    ("policy/v1", "Eviction", 528),
    ("policy/v1", "PodDisruptionBudget", 529),
    ("policy/v1", "PodDisruptionBudgetList", 530),
    ("policy/v1beta1", "Eviction", 528),
    ("policy/v1beta1", "PodDisruptionBudget", 529),
    ("policy/v1beta1", "PodDisruptionBudgetList", 530),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", 534),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", 535),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBindingList", 536),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleList", 537),
    ("rbac.authorization.k8s.io/v1", "Role", 539),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", 535),
    ("rbac.authorization.k8s.io/v1", "RoleBindingList", 536),
    ("rbac.authorization.k8s.io/v1", "RoleList", 540),
    ("rbac.authorization.k8s.io/v1alpha1", "ClusterRole", 543),
    ("rbac.authorization.k8s.io/v1alpha1", "ClusterRoleBinding", 544),
    ("rbac.authorization.k8s.io/v1alpha1", "ClusterRoleBindingList", 545),
    ("rbac.authorization.k8s.io/v1alpha1", "ClusterRoleList", 546),
    ("rbac.authorization.k8s.io/v1alpha1", "Role", 548),
    ("rbac.authorization.k8s.io/v1alpha1", "RoleBinding", 544),
    ("rbac.authorization.k8s.io/v1alpha1", "RoleBindingList", 545),
    ("rbac.authorization.k8s.io/v1alpha1", "RoleList", 549),
    ("rbac.authorization.k8s.io/v1beta1", "ClusterRole", 534),
    ("rbac.authorization.k8s.io/v1beta1", "ClusterRoleBinding", 535),
    ("rbac.authorization.k8s.io/v1beta1", "ClusterRoleBindingList", 536),
    ("rbac.authorization.k8s.io/v1beta1", "ClusterRoleList", 537),
    ("rbac.authorization.k8s.io/v1beta1", "Role", 539),
    ("rbac.authorization.k8s.io/v1beta1", "RoleBinding", 535),
    ("rbac.authorization.k8s.io/v1beta1", "RoleBindingList", 536),
    ("rbac.authorization.k8s.io/v1beta1", "RoleList", 540),
    ("resource.k8s.io/v1", "DeviceClass", 566),
    ("resource.k8s.io/v1", "DeviceClassList", 568),
    ("resource.k8s.io/v1", "DeviceTaintRule", 577),
    ("resource.k8s.io/v1", "DeviceTaintRuleList", 578),
    ("resource.k8s.io/v1", "ResourceClaim", 588),
    ("resource.k8s.io/v1", "ResourceClaimList", 590),
    ("resource.k8s.io/v1", "ResourceClaimTemplate", 593),
    ("resource.k8s.io/v1", "ResourceClaimTemplateList", 594),
    ("resource.k8s.io/v1", "ResourceSlice", 597),
    ("resource.k8s.io/v1", "ResourceSliceList", 598),
    ("resource.k8s.io/v1alpha3", "DeviceTaintRule", 577),
    ("resource.k8s.io/v1alpha3", "DeviceTaintRuleList", 578),
    ("resource.k8s.io/v1alpha3", "ResourcePoolStatusRequest", 602),
    ("resource.k8s.io/v1alpha3", "ResourcePoolStatusRequestList", 603),
    ("resource.k8s.io/v1beta1", "DeviceClass", 566),
    ("resource.k8s.io/v1beta1", "DeviceClassList", 568),
    ("resource.k8s.io/v1beta1", "ResourceClaim", 613),
    ("resource.k8s.io/v1beta1", "ResourceClaimList", 614),
    ("resource.k8s.io/v1beta1", "ResourceClaimTemplate", 616),
    ("resource.k8s.io/v1beta1", "ResourceClaimTemplateList", 617),
    ("resource.k8s.io/v1beta1", "ResourceSlice", 619),
    ("resource.k8s.io/v1beta1", "ResourceSliceList", 620),
    ("resource.k8s.io/v1beta2", "DeviceClass", 566),
    ("resource.k8s.io/v1beta2", "DeviceClassList", 568),
    ("resource.k8s.io/v1beta2", "DeviceTaintRule", 577),
    ("resource.k8s.io/v1beta2", "DeviceTaintRuleList", 578),
    ("resource.k8s.io/v1beta2", "ResourceClaim", 588),
    ("resource.k8s.io/v1beta2", "ResourceClaimList", 590),
    ("resource.k8s.io/v1beta2", "ResourceClaimTemplate", 593),
    ("resource.k8s.io/v1beta2", "ResourceClaimTemplateList", 594),
    ("resource.k8s.io/v1beta2", "ResourceSlice", 597),
    ("resource.k8s.io/v1beta2", "ResourceSliceList", 598),
    ("scheduling.k8s.io/v1", "PriorityClass", 622),
    ("scheduling.k8s.io/v1", "PriorityClassList", 623),
    ("scheduling.k8s.io/v1alpha2", "PodGroup", 625),
    ("scheduling.k8s.io/v1alpha2", "PodGroupList", 626),
    ("scheduling.k8s.io/v1alpha2", "Workload", 636),
    ("scheduling.k8s.io/v1alpha2", "WorkloadList", 637),
    ("scheduling.k8s.io/v1alpha3", "CompositePodGroup", 642),
    ("scheduling.k8s.io/v1alpha3", "CompositePodGroupList", 643),
    ("scheduling.k8s.io/v1alpha3", "PodGroup", 647),
    ("scheduling.k8s.io/v1alpha3", "PodGroupList", 648),
    ("scheduling.k8s.io/v1alpha3", "Workload", 651),
    ("scheduling.k8s.io/v1alpha3", "WorkloadList", 652),
    ("scheduling.k8s.io/v1beta1", "PodGroup", 647),
    ("scheduling.k8s.io/v1beta1", "PodGroupList", 648),
    ("scheduling.k8s.io/v1beta1", "PriorityClass", 622),
    ("scheduling.k8s.io/v1beta1", "PriorityClassList", 623),
    ("scheduling.k8s.io/v1beta1", "Workload", 651),
    ("scheduling.k8s.io/v1beta1", "WorkloadList", 652),
    ("storage.k8s.io/v1", "CSIDriver", 657),
    ("storage.k8s.io/v1", "CSIDriverList", 658),
    ("storage.k8s.io/v1", "CSINode", 660),
    ("storage.k8s.io/v1", "CSINodeList", 662),
    ("storage.k8s.io/v1", "CSIStorageCapacity", 665),
    ("storage.k8s.io/v1", "CSIStorageCapacityList", 666),
    ("storage.k8s.io/v1", "StorageClass", 667),
    ("storage.k8s.io/v1", "StorageClassList", 668),
    ("storage.k8s.io/v1", "VolumeAttachment", 672),
    ("storage.k8s.io/v1", "VolumeAttachmentList", 673),
    ("storage.k8s.io/v1", "VolumeAttributesClass", 677),
    ("storage.k8s.io/v1", "VolumeAttributesClassList", 678),
    ("storage.k8s.io/v1alpha1", "CSIStorageCapacity", 665),
    ("storage.k8s.io/v1alpha1", "CSIStorageCapacityList", 666),
    ("storage.k8s.io/v1alpha1", "VolumeAttachment", 672),
    ("storage.k8s.io/v1alpha1", "VolumeAttachmentList", 673),
    ("storage.k8s.io/v1alpha1", "VolumeAttributesClass", 677),
    ("storage.k8s.io/v1alpha1", "VolumeAttributesClassList", 678),
    ("storage.k8s.io/v1beta1", "CSIDriver", 657),
    ("storage.k8s.io/v1beta1", "CSIDriverList", 658),
    ("storage.k8s.io/v1beta1", "CSINode", 660),
    ("storage.k8s.io/v1beta1", "CSINodeList", 662),
    ("storage.k8s.io/v1beta1", "CSIStorageCapacity", 665),
    ("storage.k8s.io/v1beta1", "CSIStorageCapacityList", 666),
    ("storage.k8s.io/v1beta1", "StorageClass", 667),
    ("storage.k8s.io/v1beta1", "StorageClassList", 668),
    ("storage.k8s.io/v1beta1", "VolumeAttachment", 672),
    ("storage.k8s.io/v1beta1", "VolumeAttachmentList", 673),
    ("storage.k8s.io/v1beta1", "VolumeAttributesClass", 677),
    ("storage.k8s.io/v1beta1", "VolumeAttributesClassList", 678),
    ("storagemigration.k8s.io/v1", "StorageVersionMigration", 681),
    ("storagemigration.k8s.io/v1", "StorageVersionMigrationList", 682),
    ("storagemigration.k8s.io/v1beta1", "StorageVersionMigration", 681),
    ("storagemigration.k8s.io/v1beta1", "StorageVersionMigrationList", 682),
    ("v1", "APIGroup", 708),
    ("v1", "APIGroupList", 709),
    ("v1", "APIResourceList", 711),
    ("v1", "APIVersions", 712),
    ("v1", "Binding", 195),
    ("v1", "ComponentStatus", 206),
    ("v1", "ComponentStatusList", 207),
    ("v1", "ConfigMap", 208),
    ("v1", "ConfigMapList", 211),
    ("v1", "CreateOptions", 714),
    ("v1", "DeleteOptions", 715),
    ("v1", "Endpoints", 236),
    ("v1", "EndpointsList", 237),
    ("v1", "Event", 243),
    ("v1", "EventList", 244),
    ("v1", "GetOptions", 716),
    ("v1", "LimitRange", 271),
    ("v1", "LimitRangeList", 273),
    ("v1", "List", 276),
    ("v1", "ListOptions", 723),
    ("v1", "Namespace", 283),
    ("v1", "NamespaceList", 285),
    ("v1", "Node", 288),
    ("v1", "NodeList", 299),
    ("v1", "NodeProxyOptions", 301),
    ("v1", "PatchOptions", 729),
    ("v1", "PersistentVolume", 313),
    ("v1", "PersistentVolumeClaim", 314),
    ("v1", "PersistentVolumeClaimList", 315),
    ("v1", "PersistentVolumeList", 320),
    ("v1", "Pod", 325),
    ("v1", "PodAttachOptions", 328),
    ("v1", "PodExecOptions", 333),
    ("v1", "PodList", 335),
    ("v1", "PodLogOptions", 336),
    ("v1", "PodPortForwardOptions", 338),
    ("v1", "PodProxyOptions", 301),
    ("v1", "PodStatusResult", 346),
    ("v1", "PodTemplate", 347),
    ("v1", "PodTemplateList", 348),
    ("v1", "RangeAllocation", 360),
    ("v1", "ReplicationController", 361),
    ("v1", "ReplicationControllerList", 362),
    ("v1", "ResourceQuota", 368),
    ("v1", "ResourceQuotaList", 369),
    ("v1", "Secret", 379),
    ("v1", "SecretList", 380),
    ("v1", "SerializedReference", 384),
    ("v1", "Service", 385),
    ("v1", "ServiceAccount", 386),
    ("v1", "ServiceAccountList", 387),
    ("v1", "ServiceList", 389),
    ("v1", "ServiceProxyOptions", 301),
    ("v1", "Status", 733),
    ("v1", "UpdateOptions", 737),
    ("v1", "WatchEvent", 738),
];

/// Where each message's fields begin, how many they are, and which JSON never leaves out.
pub(super) static MESSAGES: [Message; 744] = [
    m(0, 15, 0xbc7), // 0 admission/v1.AdmissionRequest
    m(15, 7, 0x3), // 1 admission/v1.AdmissionResponse
    m(22, 2, 0x0), // 2 admission/v1.AdmissionReview
    m(24, 1, 0x0), // 3 admissionregistration/v1.ApplyConfiguration
    m(25, 2, 0x3), // 4 admissionregistration/v1.AuditAnnotation
    m(27, 2, 0x3), // 5 admissionregistration/v1.ExpressionWarning
    m(29, 2, 0x3), // 6 admissionregistration/v1.MatchCondition
    m(31, 5, 0x0), // 7 admissionregistration/v1.MatchResources
    m(36, 2, 0x3), // 8 admissionregistration/v1.MutatingAdmissionPolicy
    m(38, 2, 0x3), // 9 admissionregistration/v1.MutatingAdmissionPolicyBinding
    m(40, 2, 0x3), // 10 admissionregistration/v1.MutatingAdmissionPolicyBindingList
    m(42, 3, 0x0), // 11 admissionregistration/v1.MutatingAdmissionPolicyBindingSpec
    m(45, 2, 0x3), // 12 admissionregistration/v1.MutatingAdmissionPolicyList
    m(47, 7, 0x0), // 13 admissionregistration/v1.MutatingAdmissionPolicySpec
    m(54, 12, 0xa3), // 14 admissionregistration/v1.MutatingWebhook
    m(66, 2, 0x1), // 15 admissionregistration/v1.MutatingWebhookConfiguration
    m(68, 2, 0x3), // 16 admissionregistration/v1.MutatingWebhookConfigurationList
    m(70, 3, 0x1), // 17 admissionregistration/v1.Mutation
    m(73, 2, 0x2), // 18 admissionregistration/v1.NamedRuleWithOperations
    m(75, 2, 0x0), // 19 admissionregistration/v1.ParamKind
    m(77, 4, 0x0), // 20 admissionregistration/v1.ParamRef
    m(81, 4, 0x0), // 21 admissionregistration/v1.Rule
    m(85, 2, 0x2), // 22 admissionregistration/v1.RuleWithOperations
    m(87, 4, 0x3), // 23 admissionregistration/v1.ServiceReference
    m(91, 1, 0x0), // 24 admissionregistration/v1.TypeChecking
    m(92, 3, 0x7), // 25 admissionregistration/v1.ValidatingAdmissionPolicy
    m(95, 2, 0x3), // 26 admissionregistration/v1.ValidatingAdmissionPolicyBinding
    m(97, 2, 0x3), // 27 admissionregistration/v1.ValidatingAdmissionPolicyBindingList
    m(99, 4, 0x0), // 28 admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec
    m(103, 2, 0x3), // 29 admissionregistration/v1.ValidatingAdmissionPolicyList
    m(105, 7, 0x0), // 30 admissionregistration/v1.ValidatingAdmissionPolicySpec
    m(112, 3, 0x0), // 31 admissionregistration/v1.ValidatingAdmissionPolicyStatus
    m(115, 11, 0xa3), // 32 admissionregistration/v1.ValidatingWebhook
    m(126, 2, 0x1), // 33 admissionregistration/v1.ValidatingWebhookConfiguration
    m(128, 2, 0x3), // 34 admissionregistration/v1.ValidatingWebhookConfigurationList
    m(130, 4, 0x1), // 35 admissionregistration/v1.Validation
    m(134, 3, 0x0), // 36 admissionregistration/v1.WebhookClientConfig
    m(137, 12, 0x3), // 37 admissionregistration/v1beta1.MutatingWebhook
    m(149, 2, 0x1), // 38 admissionregistration/v1beta1.MutatingWebhookConfiguration
    m(151, 2, 0x3), // 39 admissionregistration/v1beta1.MutatingWebhookConfigurationList
    m(153, 11, 0x3), // 40 admissionregistration/v1beta1.ValidatingWebhook
    m(164, 2, 0x1), // 41 admissionregistration/v1beta1.ValidatingWebhookConfiguration
    m(166, 2, 0x3), // 42 admissionregistration/v1beta1.ValidatingWebhookConfigurationList
    m(168, 2, 0x1), // 43 apidiscovery/v2.APIGroupDiscovery
    m(170, 2, 0x3), // 44 apidiscovery/v2.APIGroupDiscoveryList
    m(172, 8, 0x1d), // 45 apidiscovery/v2.APIResourceDiscovery
    m(180, 4, 0x9), // 46 apidiscovery/v2.APISubresourceDiscovery
    m(184, 3, 0x1), // 47 apidiscovery/v2.APIVersionDiscovery
    m(187, 4, 0x0), // 48 apiserverinternal/v1alpha1.ServerStorageVersion
    m(191, 3, 0x7), // 49 apiserverinternal/v1alpha1.StorageVersion
    m(194, 6, 0x1b), // 50 apiserverinternal/v1alpha1.StorageVersionCondition
    m(200, 2, 0x3), // 51 apiserverinternal/v1alpha1.StorageVersionList
    m(202, 0, 0x0), // 52 apiserverinternal/v1alpha1.StorageVersionSpec
    m(202, 3, 0x0), // 53 apiserverinternal/v1alpha1.StorageVersionStatus
    m(205, 3, 0x7), // 54 apps/v1.ControllerRevision
    m(208, 2, 0x3), // 55 apps/v1.ControllerRevisionList
    m(210, 3, 0x7), // 56 apps/v1.DaemonSet
    m(213, 5, 0x7), // 57 apps/v1.DaemonSetCondition
    m(218, 2, 0x3), // 58 apps/v1.DaemonSetList
    m(220, 5, 0x7), // 59 apps/v1.DaemonSetSpec
    m(225, 10, 0xf), // 60 apps/v1.DaemonSetStatus
    m(235, 2, 0x0), // 61 apps/v1.DaemonSetUpdateStrategy
    m(237, 3, 0x7), // 62 apps/v1.Deployment
    m(240, 6, 0x33), // 63 apps/v1.DeploymentCondition
    m(246, 2, 0x3), // 64 apps/v1.DeploymentList
    m(248, 8, 0xe), // 65 apps/v1.DeploymentSpec
    m(256, 9, 0x0), // 66 apps/v1.DeploymentStatus
    m(265, 3, 0x7), // 67 apps/v1.ReplicaSet
    m(268, 2, 0x3), // 68 apps/v1.ReplicaSetList
    m(270, 4, 0x6), // 69 apps/v1.ReplicaSetSpec
    m(274, 7, 0x1), // 70 apps/v1.ReplicaSetStatus
    m(281, 2, 0x0), // 71 apps/v1.RollingUpdateDaemonSet
    m(283, 2, 0x0), // 72 apps/v1.RollingUpdateStatefulSetStrategy
    m(285, 3, 0x7), // 73 apps/v1.StatefulSet
    m(288, 2, 0x3), // 74 apps/v1.StatefulSetList
    m(290, 1, 0x1), // 75 apps/v1.StatefulSetOrdinals
    m(291, 2, 0x0), // 76 apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy
    m(293, 11, 0x56), // 77 apps/v1.StatefulSetSpec
    m(304, 10, 0x202), // 78 apps/v1.StatefulSetStatus
    m(314, 2, 0x0), // 79 apps/v1.StatefulSetUpdateStrategy
    m(316, 3, 0x7), // 80 apps/v1beta1.Deployment
    m(319, 2, 0x3), // 81 apps/v1beta1.DeploymentList
    m(321, 3, 0x5), // 82 apps/v1beta1.DeploymentRollback
    m(324, 9, 0xc), // 83 apps/v1beta1.DeploymentSpec
    m(333, 1, 0x0), // 84 apps/v1beta1.RollbackConfig
    m(334, 3, 0x7), // 85 apps/v1beta1.Scale
    m(337, 1, 0x0), // 86 apps/v1beta1.ScaleSpec
    m(338, 3, 0x1), // 87 apps/v1beta1.ScaleStatus
    m(341, 3, 0x7), // 88 apps/v1beta1.StatefulSet
    m(344, 2, 0x3), // 89 apps/v1beta1.StatefulSetList
    m(346, 11, 0x54), // 90 apps/v1beta1.StatefulSetSpec
    m(357, 10, 0x202), // 91 apps/v1beta1.StatefulSetStatus
    m(367, 1, 0x0), // 92 authentication/v1.AttestationValue
    m(368, 4, 0x0), // 93 authentication/v1.BoundObjectReference
    m(372, 2, 0x3), // 94 authentication/v1.SelfSubjectReview
    m(374, 1, 0x1), // 95 authentication/v1.SelfSubjectReviewStatus
    m(375, 3, 0x7), // 96 authentication/v1.TokenRequest
    m(378, 4, 0x7), // 97 authentication/v1.TokenRequestSpec
    m(382, 2, 0x3), // 98 authentication/v1.TokenRequestStatus
    m(384, 3, 0x7), // 99 authentication/v1.TokenReview
    m(387, 2, 0x0), // 100 authentication/v1.TokenReviewSpec
    m(389, 4, 0x2), // 101 authentication/v1.TokenReviewStatus
    m(393, 4, 0x0), // 102 authentication/v1.UserInfo
    m(397, 2, 0x0), // 103 authorization/v1.FieldSelectorAttributes
    m(399, 3, 0x7), // 104 authorization/v1.LocalSubjectAccessReview
    m(402, 2, 0x0), // 105 authorization/v1.NonResourceAttributes
    m(404, 2, 0x1), // 106 authorization/v1.NonResourceRule
    m(406, 9, 0x0), // 107 authorization/v1.ResourceAttributes
    m(415, 4, 0x1), // 108 authorization/v1.ResourceRule
    m(419, 3, 0x7), // 109 authorization/v1.SelfSubjectAccessReview
    m(422, 2, 0x0), // 110 authorization/v1.SelfSubjectAccessReviewSpec
    m(424, 3, 0x7), // 111 authorization/v1.SelfSubjectRulesReview
    m(427, 1, 0x0), // 112 authorization/v1.SelfSubjectRulesReviewSpec
    m(428, 6, 0x0), // 113 authorization/v1.SubjectAccessReviewSpec
    m(434, 4, 0x1), // 114 authorization/v1.SubjectAccessReviewStatus
    m(438, 4, 0x7), // 115 authorization/v1.SubjectRulesReviewStatus
    m(442, 3, 0x7), // 116 authorization/v1beta1.LocalSubjectAccessReview
    m(445, 6, 0x0), // 117 authorization/v1beta1.SubjectAccessReviewSpec
    m(451, 3, 0x3), // 118 autoscaling/v1.CrossVersionObjectReference
    m(454, 3, 0x7), // 119 autoscaling/v1.HorizontalPodAutoscaler
    m(457, 2, 0x3), // 120 autoscaling/v1.HorizontalPodAutoscalerList
    m(459, 4, 0x5), // 121 autoscaling/v1.HorizontalPodAutoscalerSpec
    m(463, 5, 0xc), // 122 autoscaling/v1.HorizontalPodAutoscalerStatus
    m(468, 3, 0x7), // 123 autoscaling/v1.Scale
    m(471, 2, 0x1), // 124 autoscaling/v1.ScaleStatus
    m(473, 3, 0x7), // 125 autoscaling/v2.ContainerResourceMetricSource
    m(476, 3, 0x7), // 126 autoscaling/v2.ContainerResourceMetricStatus
    m(479, 2, 0x3), // 127 autoscaling/v2.ExternalMetricSource
    m(481, 2, 0x3), // 128 autoscaling/v2.ExternalMetricStatus
    m(483, 3, 0x7), // 129 autoscaling/v2.HPAScalingPolicy
    m(486, 4, 0x0), // 130 autoscaling/v2.HPAScalingRules
    m(490, 3, 0x7), // 131 autoscaling/v2.HorizontalPodAutoscaler
    m(493, 2, 0x0), // 132 autoscaling/v2.HorizontalPodAutoscalerBehavior
    m(495, 6, 0x7), // 133 autoscaling/v2.HorizontalPodAutoscalerCondition
    m(501, 2, 0x3), // 134 autoscaling/v2.HorizontalPodAutoscalerList
    m(503, 5, 0x5), // 135 autoscaling/v2.HorizontalPodAutoscalerSpec
    m(508, 6, 0x18), // 136 autoscaling/v2.HorizontalPodAutoscalerStatus
    m(514, 2, 0x1), // 137 autoscaling/v2.MetricIdentifier
    m(516, 6, 0x1), // 138 autoscaling/v2.MetricSpec
    m(522, 6, 0x1), // 139 autoscaling/v2.MetricStatus
    m(528, 4, 0x1), // 140 autoscaling/v2.MetricTarget
    m(532, 3, 0x0), // 141 autoscaling/v2.MetricValueStatus
    m(535, 3, 0x7), // 142 autoscaling/v2.ObjectMetricSource
    m(538, 3, 0x7), // 143 autoscaling/v2.ObjectMetricStatus
    m(541, 2, 0x3), // 144 autoscaling/v2.ResourceMetricSource
    m(543, 2, 0x3), // 145 autoscaling/v2.ResourceMetricStatus
    m(545, 3, 0x7), // 146 batch/v1.CronJob
    m(548, 2, 0x3), // 147 batch/v1.CronJobList
    m(550, 8, 0x11), // 148 batch/v1.CronJobSpec
    m(558, 3, 0x0), // 149 batch/v1.CronJobStatus
    m(561, 3, 0x7), // 150 batch/v1.Job
    m(564, 6, 0xf), // 151 batch/v1.JobCondition
    m(570, 2, 0x3), // 152 batch/v1.JobList
    m(572, 4, 0x0), // 153 batch/v1.JobSchedulingConfiguration
    m(576, 17, 0x20), // 154 batch/v1.JobSpec
    m(593, 11, 0x0), // 155 batch/v1.JobStatus
    m(604, 2, 0x3), // 156 batch/v1.JobTemplateSpec
    m(606, 1, 0x1), // 157 batch/v1.PodFailurePolicy
    m(607, 3, 0x6), // 158 batch/v1.PodFailurePolicyOnExitCodesRequirement
    m(610, 2, 0x3), // 159 batch/v1.PodFailurePolicyOnPodConditionsPattern
    m(612, 3, 0x1), // 160 batch/v1.PodFailurePolicyRule
    m(615, 1, 0x1), // 161 batch/v1.SuccessPolicy
    m(616, 2, 0x0), // 162 batch/v1.SuccessPolicyRule
    m(618, 2, 0x0), // 163 batch/v1.UncountedTerminatedPods
    m(620, 3, 0x7), // 164 certificates/v1.CertificateSigningRequest
    m(623, 6, 0x39), // 165 certificates/v1.CertificateSigningRequestCondition
    m(629, 2, 0x3), // 166 certificates/v1.CertificateSigningRequestList
    m(631, 8, 0x41), // 167 certificates/v1.CertificateSigningRequestSpec
    m(639, 2, 0x0), // 168 certificates/v1.CertificateSigningRequestStatus
    m(641, 2, 0x3), // 169 certificates/v1.ClusterTrustBundle
    m(643, 2, 0x3), // 170 certificates/v1.ClusterTrustBundleList
    m(645, 2, 0x2), // 171 certificates/v1.ClusterTrustBundleSpec
    m(647, 3, 0x7), // 172 certificates/v1.PodCertificateRequest
    m(650, 2, 0x3), // 173 certificates/v1.PodCertificateRequestList
    m(652, 10, 0x27f), // 174 certificates/v1.PodCertificateRequestSpec
    m(662, 5, 0x0), // 175 certificates/v1.PodCertificateRequestStatus
    m(667, 3, 0x7), // 176 certificates/v1beta1.CertificateSigningRequest
    m(670, 2, 0x3), // 177 certificates/v1beta1.CertificateSigningRequestList
    m(672, 8, 0x1), // 178 certificates/v1beta1.CertificateSigningRequestSpec
    m(680, 3, 0x7), // 179 certificates/v1beta1.PodCertificateRequest
    m(683, 2, 0x3), // 180 certificates/v1beta1.PodCertificateRequestList
    m(685, 12, 0xb7f), // 181 certificates/v1beta1.PodCertificateRequestSpec
    m(697, 2, 0x3), // 182 coordination/v1.Lease
    m(699, 2, 0x3), // 183 coordination/v1.LeaseList
    m(701, 7, 0x0), // 184 coordination/v1.LeaseSpec
    m(708, 2, 0x3), // 185 coordination/v1alpha2.LeaseCandidate
    m(710, 2, 0x3), // 186 coordination/v1alpha2.LeaseCandidateList
    m(712, 6, 0x9), // 187 coordination/v1alpha2.LeaseCandidateSpec
    m(718, 4, 0x1), // 188 core/v1.AWSElasticBlockStoreVolumeSource
    m(722, 3, 0x0), // 189 core/v1.Affinity
    m(725, 2, 0x1), // 190 core/v1.AppArmorProfile
    m(727, 2, 0x3), // 191 core/v1.AttachedVolume
    m(729, 6, 0x3), // 192 core/v1.AzureDiskVolumeSource
    m(735, 4, 0xb), // 193 core/v1.AzureFilePersistentVolumeSource
    m(739, 3, 0x3), // 194 core/v1.AzureFileVolumeSource
    m(742, 2, 0x3), // 195 core/v1.Binding
    m(744, 10, 0x3), // 196 core/v1.CSIPersistentVolumeSource
    m(754, 5, 0x1), // 197 core/v1.CSIVolumeSource
    m(759, 2, 0x0), // 198 core/v1.Capabilities
    m(761, 6, 0x1), // 199 core/v1.CephFSPersistentVolumeSource
    m(767, 6, 0x1), // 200 core/v1.CephFSVolumeSource
    m(773, 4, 0x1), // 201 core/v1.CinderPersistentVolumeSource
    m(777, 4, 0x1), // 202 core/v1.CinderVolumeSource
    m(781, 1, 0x0), // 203 core/v1.ClientIPConfig
    m(782, 6, 0x8), // 204 core/v1.ClusterTrustBundleProjection
    m(788, 4, 0x3), // 205 core/v1.ComponentCondition
    m(792, 2, 0x1), // 206 core/v1.ComponentStatus
    m(794, 2, 0x3), // 207 core/v1.ComponentStatusList
    m(796, 4, 0x1), // 208 core/v1.ConfigMap
    m(800, 2, 0x1), // 209 core/v1.ConfigMapEnvSource
    m(802, 3, 0x3), // 210 core/v1.ConfigMapKeySelector
    m(805, 2, 0x3), // 211 core/v1.ConfigMapList
    m(807, 5, 0x13), // 212 core/v1.ConfigMapNodeConfigSource
    m(812, 3, 0x1), // 213 core/v1.ConfigMapProjection
    m(815, 5, 0x1), // 214 core/v1.ConfigMapVolumeSource
    m(820, 25, 0x81), // 215 core/v1.Container
    m(845, 3, 0x7), // 216 core/v1.ContainerExtendedResourceRequest
    m(848, 2, 0x1), // 217 core/v1.ContainerImage
    m(850, 5, 0x4), // 218 core/v1.ContainerPort
    m(855, 2, 0x3), // 219 core/v1.ContainerResizePolicy
    m(857, 2, 0x0), // 220 core/v1.ContainerRestartRule
    m(859, 2, 0x0), // 221 core/v1.ContainerRestartRuleOnExitCodes
    m(861, 3, 0x0), // 222 core/v1.ContainerState
    m(864, 1, 0x1), // 223 core/v1.ContainerStateRunning
    m(865, 7, 0x31), // 224 core/v1.ContainerStateTerminated
    m(872, 2, 0x0), // 225 core/v1.ContainerStateWaiting
    m(874, 15, 0x7f), // 226 core/v1.ContainerStatus
    m(889, 1, 0x0), // 227 core/v1.ContainerUser
    m(890, 1, 0x1), // 228 core/v1.DaemonEndpoint
    m(891, 1, 0x0), // 229 core/v1.DownwardAPIProjection
    m(892, 5, 0x1), // 230 core/v1.DownwardAPIVolumeFile
    m(897, 3, 0x0), // 231 core/v1.DownwardAPIVolumeSource
    m(900, 3, 0x0), // 232 core/v1.EmptyDirVolumeSource
    m(903, 4, 0x1), // 233 core/v1.EndpointAddress
    m(907, 4, 0x2), // 234 core/v1.EndpointPort
    m(911, 3, 0x0), // 235 core/v1.EndpointSubset
    m(914, 2, 0x1), // 236 core/v1.Endpoints
    m(916, 2, 0x3), // 237 core/v1.EndpointsList
    m(918, 3, 0x0), // 238 core/v1.EnvFromSource
    m(921, 3, 0x1), // 239 core/v1.EnvVar
    m(924, 5, 0x0), // 240 core/v1.EnvVarSource
    m(929, 2, 0x1), // 241 core/v1.EphemeralContainer
    m(931, 1, 0x0), // 242 core/v1.EphemeralVolumeSource
    m(932, 15, 0x6273), // 243 core/v1.Event
    m(947, 2, 0x3), // 244 core/v1.EventList
    m(949, 2, 0x2), // 245 core/v1.EventSeries
    m(951, 2, 0x0), // 246 core/v1.EventSource
    m(953, 2, 0x3), // 247 core/v1.EvictionResponder
    m(955, 1, 0x0), // 248 core/v1.ExecAction
    m(956, 5, 0x0), // 249 core/v1.FCVolumeSource
    m(961, 4, 0x7), // 250 core/v1.FileKeySelector
    m(965, 5, 0x1), // 251 core/v1.FlexPersistentVolumeSource
    m(970, 5, 0x1), // 252 core/v1.FlexVolumeSource
    m(975, 2, 0x0), // 253 core/v1.FlockerVolumeSource
    m(977, 4, 0x1), // 254 core/v1.GCEPersistentDiskVolumeSource
    m(981, 3, 0x3), // 255 core/v1.GRPCAction
    m(984, 3, 0x1), // 256 core/v1.GitRepoVolumeSource
    m(987, 4, 0x3), // 257 core/v1.GlusterfsPersistentVolumeSource
    m(991, 3, 0x3), // 258 core/v1.GlusterfsVolumeSource
    m(994, 6, 0x2), // 259 core/v1.HTTPGetAction
    m(1000, 2, 0x3), // 260 core/v1.HTTPHeader
    m(1002, 2, 0x1), // 261 core/v1.HostAlias
    m(1004, 1, 0x1), // 262 core/v1.HostIP
    m(1005, 2, 0x1), // 263 core/v1.HostPathVolumeSource
    m(1007, 11, 0x7), // 264 core/v1.ISCSIPersistentVolumeSource
    m(1018, 11, 0x7), // 265 core/v1.ISCSIVolumeSource
    m(1029, 2, 0x0), // 266 core/v1.ImageVolumeSource
    m(1031, 1, 0x0), // 267 core/v1.ImageVolumeStatus
    m(1032, 4, 0x3), // 268 core/v1.KeyToPath
    m(1036, 3, 0x0), // 269 core/v1.Lifecycle
    m(1039, 4, 0x0), // 270 core/v1.LifecycleHandler
    m(1043, 2, 0x3), // 271 core/v1.LimitRange
    m(1045, 6, 0x1), // 272 core/v1.LimitRangeItem
    m(1051, 2, 0x3), // 273 core/v1.LimitRangeList
    m(1053, 1, 0x1), // 274 core/v1.LimitRangeSpec
    m(1054, 3, 0x3), // 275 core/v1.LinuxContainerUser
    m(1057, 2, 0x3), // 276 core/v1.List
    m(1059, 4, 0x0), // 277 core/v1.LoadBalancerIngress
    m(1063, 1, 0x0), // 278 core/v1.LoadBalancerStatus
    m(1064, 1, 0x0), // 279 core/v1.LocalObjectReference
    m(1065, 2, 0x1), // 280 core/v1.LocalVolumeSource
    m(1067, 2, 0x2), // 281 core/v1.ModifyVolumeStatus
    m(1069, 3, 0x3), // 282 core/v1.NFSVolumeSource
    m(1072, 3, 0x7), // 283 core/v1.Namespace
    m(1075, 5, 0x7), // 284 core/v1.NamespaceCondition
    m(1080, 2, 0x3), // 285 core/v1.NamespaceList
    m(1082, 1, 0x0), // 286 core/v1.NamespaceSpec
    m(1083, 2, 0x0), // 287 core/v1.NamespaceStatus
    m(1085, 3, 0x7), // 288 core/v1.Node
    m(1088, 2, 0x3), // 289 core/v1.NodeAddress
    m(1090, 2, 0x0), // 290 core/v1.NodeAffinity
    m(1092, 2, 0x3), // 291 core/v1.NodeAllocatableMappedResources
    m(1094, 3, 0x1), // 292 core/v1.NodeAllocatableOverheadResources
    m(1097, 5, 0x1), // 293 core/v1.NodeAllocatableResourceClaimStatus
    m(1102, 6, 0xf), // 294 core/v1.NodeCondition
    m(1108, 1, 0x0), // 295 core/v1.NodeConfigSource
    m(1109, 4, 0x0), // 296 core/v1.NodeConfigStatus
    m(1113, 1, 0x1), // 297 core/v1.NodeDaemonEndpoints
    m(1114, 1, 0x0), // 298 core/v1.NodeFeatures
    m(1115, 2, 0x3), // 299 core/v1.NodeList
    m(1117, 1, 0x0), // 300 core/v1.NodePodPreemptionPolicy
    m(1118, 1, 0x0), // 301 core/v1.NodeProxyOptions
    m(1119, 2, 0x1), // 302 core/v1.NodeRuntimeHandler
    m(1121, 2, 0x0), // 303 core/v1.NodeRuntimeHandlerFeatures
    m(1123, 1, 0x1), // 304 core/v1.NodeSelector
    m(1124, 3, 0x3), // 305 core/v1.NodeSelectorRequirement
    m(1127, 2, 0x0), // 306 core/v1.NodeSelectorTerm
    m(1129, 8, 0x0), // 307 core/v1.NodeSpec
    m(1137, 14, 0x60), // 308 core/v1.NodeStatus
    m(1151, 1, 0x0), // 309 core/v1.NodeSwapStatus
    m(1152, 12, 0x3ff), // 310 core/v1.NodeSystemInfo
    m(1164, 2, 0x2), // 311 core/v1.ObjectFieldSelector
    m(1166, 7, 0x0), // 312 core/v1.ObjectReference
    m(1173, 3, 0x7), // 313 core/v1.PersistentVolume
    m(1176, 3, 0x7), // 314 core/v1.PersistentVolumeClaim
    m(1179, 2, 0x3), // 315 core/v1.PersistentVolumeClaimList
    m(1181, 9, 0x2), // 316 core/v1.PersistentVolumeClaimSpec
    m(1190, 9, 0x0), // 317 core/v1.PersistentVolumeClaimStatus
    m(1199, 2, 0x3), // 318 core/v1.PersistentVolumeClaimTemplate
    m(1201, 2, 0x1), // 319 core/v1.PersistentVolumeClaimVolumeSource
    m(1203, 2, 0x3), // 320 core/v1.PersistentVolumeList
    m(1205, 22, 0x0), // 321 core/v1.PersistentVolumeSource
    m(1227, 10, 0x2), // 322 core/v1.PersistentVolumeSpec
    m(1237, 4, 0x0), // 323 core/v1.PersistentVolumeStatus
    m(1241, 2, 0x1), // 324 core/v1.PhotonPersistentDiskVolumeSource
    m(1243, 3, 0x7), // 325 core/v1.Pod
    m(1246, 2, 0x0), // 326 core/v1.PodAffinity
    m(1248, 6, 0x4), // 327 core/v1.PodAffinityTerm
    m(1254, 5, 0x0), // 328 core/v1.PodAttachOptions
    m(1259, 8, 0x0), // 329 core/v1.PodCertificateProjection
    m(1267, 7, 0xf), // 330 core/v1.PodCondition
    m(1274, 3, 0x0), // 331 core/v1.PodDNSConfig
    m(1277, 2, 0x0), // 332 core/v1.PodDNSConfigOption
    m(1279, 6, 0x20), // 333 core/v1.PodExecOptions
    m(1285, 2, 0x3), // 334 core/v1.PodExtendedResourceClaimStatus
    m(1287, 2, 0x3), // 335 core/v1.PodList
    m(1289, 10, 0x0), // 336 core/v1.PodLogOptions
    m(1299, 1, 0x1), // 337 core/v1.PodOS
    m(1300, 1, 0x0), // 338 core/v1.PodPortForwardOptions
    m(1301, 1, 0x1), // 339 core/v1.PodReadinessGate
    m(1302, 3, 0x1), // 340 core/v1.PodResourceClaim
    m(1305, 2, 0x1), // 341 core/v1.PodResourceClaimStatus
    m(1307, 1, 0x0), // 342 core/v1.PodSchedulingGroup
    m(1308, 13, 0x0), // 343 core/v1.PodSecurityContext
    m(1321, 43, 0x2), // 344 core/v1.PodSpec
    m(1364, 22, 0x0), // 345 core/v1.PodStatus
    m(1386, 2, 0x3), // 346 core/v1.PodStatusResult
    m(1388, 2, 0x3), // 347 core/v1.PodTemplate
    m(1390, 2, 0x3), // 348 core/v1.PodTemplateList
    m(1392, 2, 0x3), // 349 core/v1.PodTemplateSpec
    m(1394, 3, 0x5), // 350 core/v1.PodVolumeHealth
    m(1397, 3, 0x3), // 351 core/v1.PortStatus
    m(1400, 3, 0x1), // 352 core/v1.PortworxVolumeSource
    m(1403, 2, 0x3), // 353 core/v1.PreferredSchedulingTerm
    m(1405, 7, 0x1), // 354 core/v1.Probe
    m(1412, 4, 0x0), // 355 core/v1.ProbeHandler
    m(1416, 3, 0x1), // 356 core/v1.ProjectedVolumeSource
    m(1419, 6, 0x3), // 357 core/v1.QuobyteVolumeSource
    m(1425, 8, 0x3), // 358 core/v1.RBDPersistentVolumeSource
    m(1433, 8, 0x3), // 359 core/v1.RBDVolumeSource
    m(1441, 3, 0x7), // 360 core/v1.RangeAllocation
    m(1444, 3, 0x7), // 361 core/v1.ReplicationController
    m(1447, 2, 0x3), // 362 core/v1.ReplicationControllerList
    m(1449, 4, 0x0), // 363 core/v1.ReplicationControllerSpec
    m(1453, 6, 0x1), // 364 core/v1.ReplicationControllerStatus
    m(1459, 2, 0x1), // 365 core/v1.ResourceClaim
    m(1461, 3, 0x6), // 366 core/v1.ResourceFieldSelector
    m(1464, 3, 0x1), // 367 core/v1.ResourceHealth
    m(1467, 3, 0x7), // 368 core/v1.ResourceQuota
    m(1470, 2, 0x3), // 369 core/v1.ResourceQuotaList
    m(1472, 3, 0x0), // 370 core/v1.ResourceQuotaSpec
    m(1475, 2, 0x0), // 371 core/v1.ResourceQuotaStatus
    m(1477, 3, 0x0), // 372 core/v1.ResourceRequirements
    m(1480, 2, 0x1), // 373 core/v1.ResourceStatus
    m(1482, 4, 0x0), // 374 core/v1.SELinuxOptions
    m(1486, 10, 0x7), // 375 core/v1.ScaleIOPersistentVolumeSource
    m(1496, 10, 0x7), // 376 core/v1.ScaleIOVolumeSource
    m(1506, 1, 0x0), // 377 core/v1.ScopeSelector
    m(1507, 3, 0x3), // 378 core/v1.ScopedResourceSelectorRequirement
    m(1510, 5, 0x1), // 379 core/v1.Secret
    m(1515, 2, 0x3), // 380 core/v1.SecretList
    m(1517, 2, 0x0), // 381 core/v1.SecretReference
    m(1519, 5, 0x0), // 382 core/v1.SecretVolumeSource
    m(1524, 12, 0x0), // 383 core/v1.SecurityContext
    m(1536, 1, 0x1), // 384 core/v1.SerializedReference
    m(1537, 3, 0x7), // 385 core/v1.Service
    m(1540, 4, 0x1), // 386 core/v1.ServiceAccount
    m(1544, 2, 0x3), // 387 core/v1.ServiceAccountList
    m(1546, 4, 0x4), // 388 core/v1.ServiceAccountTokenProjection
    m(1550, 2, 0x3), // 389 core/v1.ServiceList
    m(1552, 6, 0xc), // 390 core/v1.ServicePort
    m(1558, 20, 0x0), // 391 core/v1.ServiceSpec
    m(1578, 2, 0x1), // 392 core/v1.ServiceStatus
    m(1580, 1, 0x0), // 393 core/v1.SessionAffinityConfig
    m(1581, 1, 0x1), // 394 core/v1.SleepAction
    m(1582, 5, 0x0), // 395 core/v1.StorageOSPersistentVolumeSource
    m(1587, 5, 0x0), // 396 core/v1.StorageOSVolumeSource
    m(1592, 2, 0x1), // 397 core/v1.TCPSocketAction
    m(1594, 4, 0x5), // 398 core/v1.Taint
    m(1598, 5, 0x0), // 399 core/v1.Toleration
    m(1603, 2, 0x3), // 400 core/v1.TopologySelectorLabelRequirement
    m(1605, 1, 0x0), // 401 core/v1.TopologySelectorTerm
    m(1606, 8, 0x7), // 402 core/v1.TopologySpreadConstraint
    m(1614, 3, 0x7), // 403 core/v1.TypedLocalObjectReference
    m(1617, 4, 0x7), // 404 core/v1.TypedObjectReference
    m(1621, 2, 0x3), // 405 core/v1.Volume
    m(1623, 3, 0x3), // 406 core/v1.VolumeHealthCondition
    m(1626, 2, 0x2), // 407 core/v1.VolumeHealthStatus
    m(1628, 8, 0x5), // 408 core/v1.VolumeMount
    m(1636, 5, 0x3), // 409 core/v1.VolumeMountStatus
    m(1641, 1, 0x0), // 410 core/v1.VolumeNodeAffinity
    m(1642, 6, 0x0), // 411 core/v1.VolumeProjection
    m(1648, 2, 0x0), // 412 core/v1.VolumeResourceRequirements
    m(1650, 30, 0x0), // 413 core/v1.VolumeSource
    m(1680, 1, 0x0), // 414 core/v1.VolumeStatus
    m(1681, 4, 0x1), // 415 core/v1.VsphereVirtualDiskVolumeSource
    m(1685, 2, 0x3), // 416 core/v1.WeightedPodAffinityTerm
    m(1687, 4, 0x0), // 417 core/v1.WindowsSecurityContextOptions
    m(1691, 8, 0x3), // 418 discovery/v1.Endpoint
    m(1699, 3, 0x0), // 419 discovery/v1.EndpointConditions
    m(1702, 2, 0x0), // 420 discovery/v1.EndpointHints
    m(1704, 4, 0x0), // 421 discovery/v1.EndpointPort
    m(1708, 4, 0xf), // 422 discovery/v1.EndpointSlice
    m(1712, 2, 0x3), // 423 discovery/v1.EndpointSliceList
    m(1714, 7, 0x3), // 424 discovery/v1beta1.Endpoint
    m(1721, 4, 0xf), // 425 discovery/v1beta1.EndpointSlice
    m(1725, 2, 0x3), // 426 discovery/v1beta1.EndpointSliceList
    m(1727, 15, 0x3883), // 427 events/v1.Event
    m(1742, 2, 0x3), // 428 events/v1.EventList
    m(1744, 2, 0x3), // 429 events/v1.EventSeries
    m(1746, 3, 0x7), // 430 extensions/v1beta1.DaemonSet
    m(1749, 2, 0x3), // 431 extensions/v1beta1.DaemonSetList
    m(1751, 6, 0x6), // 432 extensions/v1beta1.DaemonSetSpec
    m(1757, 3, 0x2), // 433 extensions/v1beta1.HTTPIngressPath
    m(1760, 1, 0x1), // 434 extensions/v1beta1.HTTPIngressRuleValue
    m(1761, 2, 0x1), // 435 extensions/v1beta1.IPBlock
    m(1763, 3, 0x7), // 436 extensions/v1beta1.Ingress
    m(1766, 3, 0x2), // 437 extensions/v1beta1.IngressBackend
    m(1769, 2, 0x3), // 438 extensions/v1beta1.IngressList
    m(1771, 3, 0x0), // 439 extensions/v1beta1.IngressLoadBalancerIngress
    m(1774, 1, 0x0), // 440 extensions/v1beta1.IngressLoadBalancerStatus
    m(1775, 2, 0x2), // 441 extensions/v1beta1.IngressRule
    m(1777, 1, 0x0), // 442 extensions/v1beta1.IngressRuleValue
    m(1778, 4, 0x0), // 443 extensions/v1beta1.IngressSpec
    m(1782, 1, 0x1), // 444 extensions/v1beta1.IngressStatus
    m(1783, 2, 0x0), // 445 extensions/v1beta1.IngressTLS
    m(1785, 2, 0x3), // 446 extensions/v1beta1.NetworkPolicy
    m(1787, 2, 0x0), // 447 extensions/v1beta1.NetworkPolicyEgressRule
    m(1789, 2, 0x0), // 448 extensions/v1beta1.NetworkPolicyIngressRule
    m(1791, 2, 0x3), // 449 extensions/v1beta1.NetworkPolicyList
    m(1793, 3, 0x0), // 450 extensions/v1beta1.NetworkPolicyPeer
    m(1796, 3, 0x0), // 451 extensions/v1beta1.NetworkPolicyPort
    m(1799, 4, 0x1), // 452 extensions/v1beta1.NetworkPolicySpec
    m(1803, 3, 0x7), // 453 extensions/v1beta1.ReplicaSet
    m(1806, 2, 0x3), // 454 extensions/v1beta1.ReplicaSetList
    m(1808, 4, 0x4), // 455 extensions/v1beta1.ReplicaSetSpec
    m(1812, 2, 0x0), // 456 flowcontrol/v1.ExemptPriorityLevelConfiguration
    m(1814, 1, 0x1), // 457 flowcontrol/v1.FlowDistinguisherMethod
    m(1815, 3, 0x7), // 458 flowcontrol/v1.FlowSchema
    m(1818, 5, 0x4), // 459 flowcontrol/v1.FlowSchemaCondition
    m(1823, 2, 0x3), // 460 flowcontrol/v1.FlowSchemaList
    m(1825, 4, 0x3), // 461 flowcontrol/v1.FlowSchemaSpec
    m(1829, 1, 0x0), // 462 flowcontrol/v1.FlowSchemaStatus
    m(1830, 2, 0x1), // 463 flowcontrol/v1.LimitResponse
    m(1832, 4, 0x3), // 464 flowcontrol/v1.LimitedPriorityLevelConfiguration
    m(1836, 2, 0x3), // 465 flowcontrol/v1.NonResourcePolicyRule
    m(1838, 3, 0x1), // 466 flowcontrol/v1.PolicyRulesWithSubjects
    m(1841, 3, 0x7), // 467 flowcontrol/v1.PriorityLevelConfiguration
    m(1844, 2, 0x3), // 468 flowcontrol/v1.PriorityLevelConfigurationList
    m(1846, 3, 0x1), // 469 flowcontrol/v1.PriorityLevelConfigurationSpec
    m(1849, 3, 0x7), // 470 flowcontrol/v1.QueuingConfiguration
    m(1852, 5, 0x17), // 471 flowcontrol/v1.ResourcePolicyRule
    m(1857, 2, 0x3), // 472 flowcontrol/v1.ServiceAccountSubject
    m(1859, 4, 0x1), // 473 flowcontrol/v1.Subject
    m(1863, 4, 0x3), // 474 flowcontrol/v1beta1.LimitedPriorityLevelConfiguration
    m(1867, 3, 0x7), // 475 flowcontrol/v1beta1.PriorityLevelConfiguration
    m(1870, 2, 0x3), // 476 flowcontrol/v1beta1.PriorityLevelConfigurationList
    m(1872, 3, 0x1), // 477 flowcontrol/v1beta1.PriorityLevelConfigurationSpec
    m(1875, 4, 0x3), // 478 flowcontrol/v1beta3.LimitedPriorityLevelConfiguration
    m(1879, 3, 0x7), // 479 flowcontrol/v1beta3.PriorityLevelConfiguration
    m(1882, 2, 0x3), // 480 flowcontrol/v1beta3.PriorityLevelConfigurationList
    m(1884, 3, 0x1), // 481 flowcontrol/v1beta3.PriorityLevelConfigurationSpec
    m(1887, 3, 0x7), // 482 imagepolicy/v1alpha1.ImageReview
    m(1890, 1, 0x0), // 483 imagepolicy/v1alpha1.ImageReviewContainerSpec
    m(1891, 3, 0x0), // 484 imagepolicy/v1alpha1.ImageReviewSpec
    m(1894, 3, 0x1), // 485 imagepolicy/v1alpha1.ImageReviewStatus
    m(1897, 3, 0x7), // 486 lifecycle/v1alpha1.Eviction
    m(1900, 2, 0x3), // 487 lifecycle/v1alpha1.EvictionList
    m(1902, 2, 0x3), // 488 lifecycle/v1alpha1.EvictionPodReference
    m(1904, 3, 0x7), // 489 lifecycle/v1alpha1.EvictionRequest
    m(1907, 2, 0x3), // 490 lifecycle/v1alpha1.EvictionRequestList
    m(1909, 3, 0x7), // 491 lifecycle/v1alpha1.EvictionRequestSpec
    m(1912, 2, 0x0), // 492 lifecycle/v1alpha1.EvictionRequestStatus
    m(1914, 1, 0x0), // 493 lifecycle/v1alpha1.EvictionRequestTarget
    m(1915, 1, 0x1), // 494 lifecycle/v1alpha1.EvictionSpec
    m(1916, 5, 0x0), // 495 lifecycle/v1alpha1.EvictionStatus
    m(1921, 2, 0x3), // 496 lifecycle/v1alpha1.Requester
    m(1923, 6, 0x1), // 497 lifecycle/v1alpha1.ResponderStatus
    m(1929, 3, 0x7), // 498 lifecycle/v1alpha1.TargetResponder
    m(1932, 3, 0x6), // 499 networking/v1.HTTPIngressPath
    m(1935, 1, 0x1), // 500 networking/v1.HTTPIngressRuleValue
    m(1936, 2, 0x3), // 501 networking/v1.IPAddress
    m(1938, 2, 0x3), // 502 networking/v1.IPAddressList
    m(1940, 1, 0x0), // 503 networking/v1.IPAddressSpec
    m(1941, 3, 0x7), // 504 networking/v1.Ingress
    m(1944, 2, 0x0), // 505 networking/v1.IngressBackend
    m(1946, 2, 0x3), // 506 networking/v1.IngressClass
    m(1948, 2, 0x3), // 507 networking/v1.IngressClassList
    m(1950, 5, 0xe), // 508 networking/v1.IngressClassParametersReference
    m(1955, 2, 0x0), // 509 networking/v1.IngressClassSpec
    m(1957, 2, 0x3), // 510 networking/v1.IngressList
    m(1959, 2, 0x2), // 511 networking/v1.IngressRule
    m(1961, 1, 0x0), // 512 networking/v1.IngressRuleValue
    m(1962, 2, 0x3), // 513 networking/v1.IngressServiceBackend
    m(1964, 4, 0x0), // 514 networking/v1.IngressSpec
    m(1968, 4, 0x0), // 515 networking/v1.ParentReference
    m(1972, 2, 0x0), // 516 networking/v1.ServiceBackendPort
    m(1974, 3, 0x7), // 517 networking/v1.ServiceCIDR
    m(1977, 2, 0x3), // 518 networking/v1.ServiceCIDRList
    m(1979, 1, 0x0), // 519 networking/v1.ServiceCIDRSpec
    m(1980, 1, 0x0), // 520 networking/v1.ServiceCIDRStatus
    m(1981, 1, 0x0), // 521 node/v1.Overhead
    m(1982, 4, 0x3), // 522 node/v1.RuntimeClass
    m(1986, 2, 0x3), // 523 node/v1.RuntimeClassList
    m(1988, 2, 0x0), // 524 node/v1.Scheduling
    m(1990, 2, 0x3), // 525 node/v1alpha1.RuntimeClass
    m(1992, 2, 0x3), // 526 node/v1alpha1.RuntimeClassList
    m(1994, 3, 0x1), // 527 node/v1alpha1.RuntimeClassSpec
    m(1997, 2, 0x1), // 528 policy/v1.Eviction
    m(1999, 3, 0x7), // 529 policy/v1.PodDisruptionBudget
    m(2002, 2, 0x3), // 530 policy/v1.PodDisruptionBudgetList
    m(2004, 4, 0x0), // 531 policy/v1.PodDisruptionBudgetSpec
    m(2008, 7, 0x3c), // 532 policy/v1.PodDisruptionBudgetStatus
    m(2015, 1, 0x0), // 533 rbac/v1.AggregationRule
    m(2016, 3, 0x3), // 534 rbac/v1.ClusterRole
    m(2019, 3, 0x5), // 535 rbac/v1.ClusterRoleBinding
    m(2022, 2, 0x3), // 536 rbac/v1.ClusterRoleBindingList
    m(2024, 2, 0x3), // 537 rbac/v1.ClusterRoleList
    m(2026, 5, 0x1), // 538 rbac/v1.PolicyRule
    m(2031, 2, 0x3), // 539 rbac/v1.Role
    m(2033, 2, 0x3), // 540 rbac/v1.RoleList
    m(2035, 3, 0x7), // 541 rbac/v1.RoleRef
    m(2038, 4, 0x5), // 542 rbac/v1.Subject
    m(2042, 3, 0x3), // 543 rbac/v1alpha1.ClusterRole
    m(2045, 3, 0x5), // 544 rbac/v1alpha1.ClusterRoleBinding
    m(2048, 2, 0x3), // 545 rbac/v1alpha1.ClusterRoleBindingList
    m(2050, 2, 0x3), // 546 rbac/v1alpha1.ClusterRoleList
    m(2052, 5, 0x1), // 547 rbac/v1alpha1.PolicyRule
    m(2057, 2, 0x3), // 548 rbac/v1alpha1.Role
    m(2059, 2, 0x3), // 549 rbac/v1alpha1.RoleList
    m(2061, 4, 0x5), // 550 rbac/v1alpha1.Subject
    m(2065, 7, 0xf), // 551 resource/v1.AllocatedDeviceStatus
    m(2072, 3, 0x1), // 552 resource/v1.AllocationResult
    m(2075, 1, 0x1), // 553 resource/v1.CELDeviceSelector
    m(2076, 3, 0x1), // 554 resource/v1.CapacityRequestPolicy
    m(2079, 3, 0x0), // 555 resource/v1.CapacityRequestPolicyRange
    m(2082, 1, 0x0), // 556 resource/v1.CapacityRequirements
    m(2083, 1, 0x1), // 557 resource/v1.Counter
    m(2084, 2, 0x1), // 558 resource/v1.CounterSet
    m(2086, 14, 0x1), // 559 resource/v1.Device
    m(2100, 3, 0x5), // 560 resource/v1.DeviceAllocationConfiguration
    m(2103, 2, 0x0), // 561 resource/v1.DeviceAllocationResult
    m(2105, 8, 0x0), // 562 resource/v1.DeviceAttribute
    m(2113, 2, 0x1), // 563 resource/v1.DeviceCapacity
    m(2115, 3, 0x1), // 564 resource/v1.DeviceClaim
    m(2118, 2, 0x2), // 565 resource/v1.DeviceClaimConfiguration
    m(2120, 2, 0x3), // 566 resource/v1.DeviceClass
    m(2122, 1, 0x1), // 567 resource/v1.DeviceClassConfiguration
    m(2123, 2, 0x3), // 568 resource/v1.DeviceClassList
    m(2125, 3, 0x0), // 569 resource/v1.DeviceClassSpec
    m(2128, 1, 0x0), // 570 resource/v1.DeviceConfiguration
    m(2129, 3, 0x0), // 571 resource/v1.DeviceConstraint
    m(2132, 3, 0x1), // 572 resource/v1.DeviceCounterConsumption
    m(2135, 3, 0x1), // 573 resource/v1.DeviceRequest
    m(2138, 11, 0xf), // 574 resource/v1.DeviceRequestAllocationResult
    m(2149, 1, 0x0), // 575 resource/v1.DeviceSelector
    m(2150, 8, 0x3), // 576 resource/v1.DeviceSubRequest
    m(2158, 3, 0x7), // 577 resource/v1.DeviceTaintRule
    m(2161, 2, 0x3), // 578 resource/v1.DeviceTaintRuleList
    m(2163, 2, 0x2), // 579 resource/v1.DeviceTaintRuleSpec
    m(2165, 3, 0x0), // 580 resource/v1.DeviceTaintSelector
    m(2168, 8, 0x1), // 581 resource/v1.ExactDeviceRequest
    m(2176, 3, 0x0), // 582 resource/v1.NetworkDeviceData
    m(2179, 3, 0x0), // 583 resource/v1.NodeAllocatableMapping
    m(2182, 2, 0x0), // 584 resource/v1.NodeAllocatableOverhead
    m(2184, 2, 0x0), // 585 resource/v1.NodeAllocatableResource
    m(2186, 2, 0x0), // 586 resource/v1.NodeAllocatableResourceMapping
    m(2188, 2, 0x3), // 587 resource/v1.OpaqueDeviceConfiguration
    m(2190, 3, 0x7), // 588 resource/v1.ResourceClaim
    m(2193, 4, 0xe), // 589 resource/v1.ResourceClaimConsumerReference
    m(2197, 2, 0x3), // 590 resource/v1.ResourceClaimList
    m(2199, 1, 0x1), // 591 resource/v1.ResourceClaimSpec
    m(2200, 3, 0x0), // 592 resource/v1.ResourceClaimStatus
    m(2203, 2, 0x3), // 593 resource/v1.ResourceClaimTemplate
    m(2205, 2, 0x3), // 594 resource/v1.ResourceClaimTemplateList
    m(2207, 2, 0x3), // 595 resource/v1.ResourceClaimTemplateSpec
    m(2209, 3, 0x7), // 596 resource/v1.ResourcePool
    m(2212, 2, 0x3), // 597 resource/v1.ResourceSlice
    m(2214, 2, 0x3), // 598 resource/v1.ResourceSliceList
    m(2216, 10, 0x3), // 599 resource/v1.ResourceSliceSpec
    m(2226, 4, 0x0), // 600 resource/v1alpha3.PartitionTypeStatus
    m(2230, 12, 0x100), // 601 resource/v1alpha3.PoolStatus
    m(2242, 3, 0x3), // 602 resource/v1alpha3.ResourcePoolStatusRequest
    m(2245, 2, 0x3), // 603 resource/v1alpha3.ResourcePoolStatusRequestList
    m(2247, 4, 0x1), // 604 resource/v1alpha3.ResourcePoolStatusRequestSpec
    m(2251, 3, 0x0), // 605 resource/v1alpha3.ResourcePoolStatusRequestStatus
    m(2254, 4, 0x0), // 606 resource/v1alpha3.ShareableCapacityStatus
    m(2258, 3, 0x0), // 607 resource/v1alpha3.ShareableSummaryStatus
    m(2261, 13, 0x0), // 608 resource/v1beta1.BasicDevice
    m(2274, 2, 0x1), // 609 resource/v1beta1.Device
    m(2276, 3, 0x1), // 610 resource/v1beta1.DeviceClaim
    m(2279, 10, 0x3), // 611 resource/v1beta1.DeviceRequest
    m(2289, 8, 0x3), // 612 resource/v1beta1.DeviceSubRequest
    m(2297, 3, 0x7), // 613 resource/v1beta1.ResourceClaim
    m(2300, 2, 0x3), // 614 resource/v1beta1.ResourceClaimList
    m(2302, 1, 0x1), // 615 resource/v1beta1.ResourceClaimSpec
    m(2303, 2, 0x3), // 616 resource/v1beta1.ResourceClaimTemplate
    m(2305, 2, 0x3), // 617 resource/v1beta1.ResourceClaimTemplateList
    m(2307, 2, 0x3), // 618 resource/v1beta1.ResourceClaimTemplateSpec
    m(2309, 2, 0x3), // 619 resource/v1beta1.ResourceSlice
    m(2311, 2, 0x3), // 620 resource/v1beta1.ResourceSliceList
    m(2313, 10, 0x3), // 621 resource/v1beta1.ResourceSliceSpec
    m(2323, 5, 0x3), // 622 scheduling/v1.PriorityClass
    m(2328, 2, 0x3), // 623 scheduling/v1.PriorityClassList
    m(2330, 1, 0x1), // 624 scheduling/v1alpha2.GangSchedulingPolicy
    m(2331, 3, 0x7), // 625 scheduling/v1alpha2.PodGroup
    m(2334, 2, 0x3), // 626 scheduling/v1alpha2.PodGroupList
    m(2336, 3, 0x1), // 627 scheduling/v1alpha2.PodGroupResourceClaim
    m(2339, 1, 0x0), // 628 scheduling/v1alpha2.PodGroupSchedulingConstraints
    m(2340, 2, 0x0), // 629 scheduling/v1alpha2.PodGroupSchedulingPolicy
    m(2342, 7, 0x3), // 630 scheduling/v1alpha2.PodGroupSpec
    m(2349, 2, 0x0), // 631 scheduling/v1alpha2.PodGroupStatus
    m(2351, 7, 0x7), // 632 scheduling/v1alpha2.PodGroupTemplate
    m(2358, 1, 0x1), // 633 scheduling/v1alpha2.PodGroupTemplateReference
    m(2359, 1, 0x1), // 634 scheduling/v1alpha2.TopologyConstraint
    m(2360, 3, 0x6), // 635 scheduling/v1alpha2.TypedLocalObjectReference
    m(2363, 2, 0x3), // 636 scheduling/v1alpha2.Workload
    m(2365, 2, 0x3), // 637 scheduling/v1alpha2.WorkloadList
    m(2367, 2, 0x3), // 638 scheduling/v1alpha2.WorkloadPodGroupTemplateReference
    m(2369, 2, 0x2), // 639 scheduling/v1alpha2.WorkloadSpec
    m(2371, 2, 0x0), // 640 scheduling/v1alpha3.CompositeDisruptionMode
    m(2373, 1, 0x1), // 641 scheduling/v1alpha3.CompositeGangSchedulingPolicy
    m(2374, 3, 0x7), // 642 scheduling/v1alpha3.CompositePodGroup
    m(2377, 2, 0x3), // 643 scheduling/v1alpha3.CompositePodGroupList
    m(2379, 2, 0x0), // 644 scheduling/v1alpha3.CompositePodGroupSchedulingPolicy
    m(2381, 8, 0x6), // 645 scheduling/v1alpha3.CompositePodGroupSpec
    m(2389, 9, 0x3), // 646 scheduling/v1alpha3.CompositePodGroupTemplate
    m(2398, 3, 0x7), // 647 scheduling/v1alpha3.PodGroup
    m(2401, 2, 0x3), // 648 scheduling/v1alpha3.PodGroupList
    m(2403, 9, 0x4), // 649 scheduling/v1alpha3.PodGroupSpec
    m(2412, 8, 0x7), // 650 scheduling/v1alpha3.PodGroupTemplate
    m(2420, 2, 0x3), // 651 scheduling/v1alpha3.Workload
    m(2422, 2, 0x3), // 652 scheduling/v1alpha3.WorkloadList
    m(2424, 1, 0x0), // 653 scheduling/v1alpha3.WorkloadPodGroupGangSchedulingPolicy
    m(2425, 2, 0x0), // 654 scheduling/v1alpha3.WorkloadPodGroupSchedulingPolicy
    m(2427, 2, 0x3), // 655 scheduling/v1alpha3.WorkloadReference
    m(2429, 3, 0x2), // 656 scheduling/v1alpha3.WorkloadSpec
    m(2432, 2, 0x3), // 657 storage/v1.CSIDriver
    m(2434, 2, 0x3), // 658 storage/v1.CSIDriverList
    m(2436, 11, 0x0), // 659 storage/v1.CSIDriverSpec
    m(2447, 3, 0x3), // 660 storage/v1.CSINode
    m(2450, 4, 0x7), // 661 storage/v1.CSINodeDriver
    m(2454, 2, 0x3), // 662 storage/v1.CSINodeList
    m(2456, 1, 0x1), // 663 storage/v1.CSINodeSpec
    m(2457, 1, 0x0), // 664 storage/v1.CSINodeStatus
    m(2458, 5, 0x5), // 665 storage/v1.CSIStorageCapacity
    m(2463, 2, 0x3), // 666 storage/v1.CSIStorageCapacityList
    m(2465, 8, 0x3), // 667 storage/v1.StorageClass
    m(2473, 2, 0x3), // 668 storage/v1.StorageClassList
    m(2475, 2, 0x1), // 669 storage/v1.StorageHealth
    m(2477, 6, 0x23), // 670 storage/v1.StorageHealthCondition
    m(2483, 2, 0x1), // 671 storage/v1.TokenRequest
    m(2485, 3, 0x7), // 672 storage/v1.VolumeAttachment
    m(2488, 2, 0x3), // 673 storage/v1.VolumeAttachmentList
    m(2490, 2, 0x0), // 674 storage/v1.VolumeAttachmentSource
    m(2492, 3, 0x7), // 675 storage/v1.VolumeAttachmentSpec
    m(2495, 4, 0x1), // 676 storage/v1.VolumeAttachmentStatus
    m(2499, 3, 0x3), // 677 storage/v1.VolumeAttributesClass
    m(2502, 2, 0x3), // 678 storage/v1.VolumeAttributesClassList
    m(2504, 3, 0x1), // 679 storage/v1.VolumeError
    m(2507, 1, 0x0), // 680 storage/v1.VolumeNodeResources
    m(2508, 3, 0x7), // 681 storagemigration/v1.StorageVersionMigration
    m(2511, 2, 0x3), // 682 storagemigration/v1.StorageVersionMigrationList
    m(2513, 1, 0x1), // 683 storagemigration/v1.StorageVersionMigrationSpec
    m(2514, 2, 0x0), // 684 storagemigration/v1.StorageVersionMigrationStatus
    m(2516, 3, 0x7), // 685 apiextensions/v1.ConversionRequest
    m(2519, 3, 0x7), // 686 apiextensions/v1.ConversionResponse
    m(2522, 2, 0x0), // 687 apiextensions/v1.ConversionReview
    m(2524, 6, 0x23), // 688 apiextensions/v1.CustomResourceColumnDefinition
    m(2530, 2, 0x1), // 689 apiextensions/v1.CustomResourceConversion
    m(2532, 3, 0x7), // 690 apiextensions/v1.CustomResourceDefinition
    m(2535, 6, 0x7), // 691 apiextensions/v1.CustomResourceDefinitionCondition
    m(2541, 2, 0x3), // 692 apiextensions/v1.CustomResourceDefinitionList
    m(2543, 6, 0x9), // 693 apiextensions/v1.CustomResourceDefinitionNames
    m(2549, 6, 0xf), // 694 apiextensions/v1.CustomResourceDefinitionSpec
    m(2555, 4, 0x7), // 695 apiextensions/v1.CustomResourceDefinitionStatus
    m(2559, 9, 0x7), // 696 apiextensions/v1.CustomResourceDefinitionVersion
    m(2568, 3, 0x3), // 697 apiextensions/v1.CustomResourceSubresourceScale
    m(2571, 2, 0x0), // 698 apiextensions/v1.CustomResourceSubresources
    m(2573, 1, 0x0), // 699 apiextensions/v1.CustomResourceValidation
    m(2574, 2, 0x0), // 700 apiextensions/v1.ExternalDocumentation
    m(2576, 44, 0x0), // 701 apiextensions/v1.JSONSchemaProps
    m(2620, 2, 0x3), // 702 apiextensions/v1.JSONSchemaPropsOrArray
    m(2622, 2, 0x3), // 703 apiextensions/v1.JSONSchemaPropsOrBool
    m(2624, 2, 0x3), // 704 apiextensions/v1.JSONSchemaPropsOrStringArray
    m(2626, 1, 0x1), // 705 apiextensions/v1.SelectableField
    m(2627, 6, 0x1), // 706 apiextensions/v1.ValidationRule
    m(2633, 2, 0x2), // 707 apiextensions/v1.WebhookConversion
    m(2635, 4, 0x7), // 708 meta/v1.APIGroup
    m(2639, 1, 0x1), // 709 meta/v1.APIGroupList
    m(2640, 10, 0x2f), // 710 meta/v1.APIResource
    m(2650, 2, 0x3), // 711 meta/v1.APIResourceList
    m(2652, 2, 0x3), // 712 meta/v1.APIVersions
    m(2654, 6, 0x3b), // 713 meta/v1.Condition
    m(2660, 3, 0x0), // 714 meta/v1.CreateOptions
    m(2663, 6, 0x0), // 715 meta/v1.DeleteOptions
    m(2669, 1, 0x0), // 716 meta/v1.GetOptions
    m(2670, 2, 0x3), // 717 meta/v1.GroupResource
    m(2672, 2, 0x3), // 718 meta/v1.GroupVersionForDiscovery
    m(2674, 3, 0x7), // 719 meta/v1.GroupVersionKind
    m(2677, 3, 0x7), // 720 meta/v1.GroupVersionResource
    m(2680, 2, 0x0), // 721 meta/v1.LabelSelector
    m(2682, 5, 0x0), // 722 meta/v1.ListMeta
    m(2687, 11, 0x0), // 723 meta/v1.ListOptions
    m(2698, 7, 0x0), // 724 meta/v1.ManagedFieldsEntry
    m(2705, 15, 0x0), // 725 meta/v1.ObjectMeta
    m(2720, 6, 0xf), // 726 meta/v1.OwnerReference
    m(2726, 1, 0x1), // 727 meta/v1.PartialObjectMetadata
    m(2727, 2, 0x3), // 728 meta/v1.PartialObjectMetadataList
    m(2729, 4, 0x0), // 729 meta/v1.PatchOptions
    m(2733, 2, 0x0), // 730 meta/v1.Preconditions
    m(2735, 2, 0x3), // 731 meta/v1.ServerAddressByClientCIDR
    m(2737, 1, 0x1), // 732 meta/v1.ShardInfo
    m(2738, 6, 0x1), // 733 meta/v1.Status
    m(2744, 3, 0x0), // 734 meta/v1.StatusCause
    m(2747, 6, 0x0), // 735 meta/v1.StatusDetails
    m(2753, 1, 0x0), // 736 meta/v1.TableOptions
    m(2754, 3, 0x0), // 737 meta/v1.UpdateOptions
    m(2757, 2, 0x3), // 738 meta/v1.WatchEvent
    m(2759, 3, 0x7), // 739 apiregistration/v1.APIService
    m(2762, 2, 0x3), // 740 apiregistration/v1.APIServiceList
    m(2764, 7, 0x60), // 741 apiregistration/v1.APIServiceSpec
    m(2771, 1, 0x0), // 742 apiregistration/v1.APIServiceStatus
    m(2772, 3, 0x0), // 743 apiregistration/v1.ServiceReference
];

/// Number, name, kind, shape, flags and message of each field.
pub(super) static FIELDS: [Field; 2775] = [
    // 0 admission/v1.AdmissionRequest
    f(1, 11107, 3, K::String, S::One, REQUIRED, 0), // uid
    f(2, 11051, 4, K::Message, S::One, REQUIRED, 719), // kind
    f(3, 460, 8, K::Message, S::One, REQUIRED, 720), // resource
    f(4, 8572, 11, K::String, S::One, SKIP_ZERO, 0), // subResource
    f(5, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(6, 4233, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(7, 8879, 9, K::String, S::One, REQUIRED, 0), // operation
    f(8, 10182, 8, K::Message, S::One, REQUIRED, 102), // userInfo
    f(9, 6520, 6, K::Raw, S::One, REQUIRED, 0), // object
    f(10, 9439, 9, K::Raw, S::One, REQUIRED, 0), // oldObject
    f(11, 10656, 6, K::Bool, S::One, NULLABLE, 0), // dryRun
    f(12, 10461, 7, K::Raw, S::One, REQUIRED, 0), // options
    f(13, 8473, 11, K::Message, S::One, NULLABLE, 719), // requestKind
    f(14, 5888, 15, K::Message, S::One, NULLABLE, 720), // requestResource
    f(15, 3695, 18, K::String, S::One, SKIP_ZERO, 0), // requestSubResource
    // 1 admission/v1.AdmissionResponse
    f(1, 11107, 3, K::String, S::One, REQUIRED, 0), // uid
    f(2, 3893, 7, K::Bool, S::One, REQUIRED, 0), // allowed
    f(3, 3803, 6, K::Message, S::One, NULLABLE, 733), // status
    f(4, 9466, 5, K::Bytes, S::One, SKIP_ZERO | NULLABLE, 0), // patch
    f(5, 9466, 9, K::String, S::One, NULLABLE, 0), // patchType
    f(6, 4640, 16, K::String, S::Map, NULLABLE, 0), // auditAnnotations
    f(7, 10214, 8, K::String, S::Repeated, NULLABLE, 0), // warnings
    // 2 admission/v1.AdmissionReview
    f(1, 3695, 7, K::Message, S::One, NULLABLE, 0), // request
    f(2, 7726, 8, K::Message, S::One, NULLABLE, 1), // response
    // 3 admissionregistration/v1.ApplyConfiguration
    f(1, 3461, 10, K::String, S::One, SKIP_ZERO, 0), // expression
    // 4 admissionregistration/v1.AuditAnnotation
    f(1, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(2, 6068, 15, K::String, S::One, REQUIRED, 0), // valueExpression
    // 5 admissionregistration/v1.ExpressionWarning
    f(2, 9838, 8, K::String, S::One, REQUIRED, 0), // fieldRef
    f(3, 10214, 7, K::String, S::One, REQUIRED, 0), // warning
    // 6 admissionregistration/v1.MatchCondition
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 3461, 10, K::String, S::One, REQUIRED, 0), // expression
    // 7 admissionregistration/v1.MatchResources
    f(1, 4233, 17, K::Message, S::One, NULLABLE, 721), // namespaceSelector
    f(2, 6520, 14, K::Message, S::One, NULLABLE, 721), // objectSelector
    f(3, 7294, 13, K::Message, S::Repeated, NULLABLE, 18), // resourceRules
    f(4, 2564, 20, K::Message, S::Repeated, NULLABLE, 18), // excludeResourceRules
    f(7, 8341, 11, K::String, S::One, NULLABLE, 0), // matchPolicy
    // 8 admissionregistration/v1.MutatingAdmissionPolicy
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 13), // spec
    // 9 admissionregistration/v1.MutatingAdmissionPolicyBinding
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 11), // spec
    // 10 admissionregistration/v1.MutatingAdmissionPolicyBindingList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 9), // items
    // 11 admissionregistration/v1.MutatingAdmissionPolicyBindingSpec
    f(1, 8899, 10, K::String, S::One, SKIP_ZERO, 0), // policyName
    f(2, 10030, 8, K::Message, S::One, NULLABLE, 20), // paramRef
    f(3, 6492, 14, K::Message, S::One, NULLABLE, 7), // matchResources
    // 12 admissionregistration/v1.MutatingAdmissionPolicyList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 8), // items
    // 13 admissionregistration/v1.MutatingAdmissionPolicySpec
    f(1, 9448, 9, K::Message, S::One, NULLABLE, 19), // paramKind
    f(2, 5024, 16, K::Message, S::One, NULLABLE, 7), // matchConstraints
    f(3, 9709, 9, K::Message, S::Repeated, NULLABLE, 6), // variables
    f(4, 9421, 9, K::Message, S::Repeated, NULLABLE, 17), // mutations
    f(5, 6956, 13, K::String, S::One, NULLABLE, 0), // failurePolicy
    f(6, 5693, 15, K::Message, S::Repeated, NULLABLE, 6), // matchConditions
    f(7, 3641, 18, K::String, S::One, SKIP_ZERO, 0), // reinvocationPolicy
    // 14 admissionregistration/v1.MutatingWebhook
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 7498, 12, K::Message, S::One, REQUIRED, 36), // clientConfig
    f(3, 10980, 5, K::Message, S::Repeated, NULLABLE, 22), // rules
    f(4, 6956, 13, K::String, S::One, NULLABLE, 0), // failurePolicy
    f(5, 4233, 17, K::Message, S::One, NULLABLE, 721), // namespaceSelector
    f(6, 8528, 11, K::String, S::One, REQUIRED | NULLABLE, 0), // sideEffects
    f(7, 6730, 14, K::Int, S::One, NULLABLE, 0), // timeoutSeconds
    f(8, 1572, 23, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // admissionReviewVersions
    f(9, 8341, 11, K::String, S::One, NULLABLE, 0), // matchPolicy
    f(10, 3641, 18, K::String, S::One, NULLABLE, 0), // reinvocationPolicy
    f(11, 6520, 14, K::Message, S::One, NULLABLE, 721), // objectSelector
    f(12, 5693, 15, K::Message, S::Repeated, NULLABLE, 6), // matchConditions
    // 15 admissionregistration/v1.MutatingWebhookConfiguration
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10222, 8, K::Message, S::Repeated, NULLABLE, 14), // webhooks
    // 16 admissionregistration/v1.MutatingWebhookConfigurationList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 15), // items
    // 17 admissionregistration/v1.Mutation
    f(2, 9466, 9, K::String, S::One, REQUIRED, 0), // patchType
    f(3, 3245, 18, K::Message, S::One, NULLABLE, 3), // applyConfiguration
    f(4, 9340, 9, K::Message, S::One, NULLABLE, 3), // jsonPatch
    // 18 admissionregistration/v1.NamedRuleWithOperations
    f(1, 7281, 13, K::String, S::Repeated, NULLABLE, 0), // resourceNames
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 22), // 
    // 19 admissionregistration/v1.ParamKind
    f(1, 8066, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    f(2, 11051, 4, K::String, S::One, SKIP_ZERO, 0), // kind
    // 20 admissionregistration/v1.ParamRef
    f(1, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 4233, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(3, 9556, 8, K::Message, S::One, NULLABLE, 721), // selector
    f(4, 1687, 23, K::String, S::One, NULLABLE, 0), // parameterNotFoundAction
    // 21 admissionregistration/v1.Rule
    f(1, 9178, 9, K::String, S::Repeated, NULLABLE, 0), // apiGroups
    f(2, 8066, 11, K::String, S::Repeated, NULLABLE, 0), // apiVersions
    f(3, 7837, 9, K::String, S::Repeated, NULLABLE, 0), // resources
    f(4, 7346, 5, K::String, S::One, NULLABLE, 0), // scope
    // 22 admissionregistration/v1.RuleWithOperations
    f(1, 8879, 10, K::String, S::Repeated, NULLABLE, 0), // operations
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 21), // 
    // 23 admissionregistration/v1.ServiceReference
    f(1, 4233, 9, K::String, S::One, REQUIRED, 0), // namespace
    f(2, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(3, 10038, 4, K::String, S::One, NULLABLE, 0), // path
    f(4, 3133, 4, K::Int, S::One, NULLABLE, 0), // port
    // 24 admissionregistration/v1.TypeChecking
    f(1, 3461, 18, K::Message, S::Repeated, NULLABLE, 5), // expressionWarnings
    // 25 admissionregistration/v1.ValidatingAdmissionPolicy
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 30), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 31), // status
    // 26 admissionregistration/v1.ValidatingAdmissionPolicyBinding
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 28), // spec
    // 27 admissionregistration/v1.ValidatingAdmissionPolicyBindingList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 26), // items
    // 28 admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec
    f(1, 8899, 10, K::String, S::One, SKIP_ZERO, 0), // policyName
    f(2, 10030, 8, K::Message, S::One, NULLABLE, 20), // paramRef
    f(3, 6492, 14, K::Message, S::One, NULLABLE, 7), // matchResources
    f(4, 4573, 17, K::String, S::Repeated, NULLABLE, 0), // validationActions
    // 29 admissionregistration/v1.ValidatingAdmissionPolicyList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 25), // items
    // 30 admissionregistration/v1.ValidatingAdmissionPolicySpec
    f(1, 9448, 9, K::Message, S::One, NULLABLE, 19), // paramKind
    f(2, 5024, 16, K::Message, S::One, NULLABLE, 7), // matchConstraints
    f(3, 1561, 11, K::Message, S::Repeated, NULLABLE, 35), // validations
    f(4, 6956, 13, K::String, S::One, NULLABLE, 0), // failurePolicy
    f(5, 4640, 16, K::Message, S::Repeated, NULLABLE, 4), // auditAnnotations
    f(6, 5693, 15, K::Message, S::Repeated, NULLABLE, 6), // matchConditions
    f(7, 9709, 9, K::Message, S::Repeated, NULLABLE, 6), // variables
    // 31 admissionregistration/v1.ValidatingAdmissionPolicyStatus
    f(1, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(2, 7894, 12, K::Message, S::One, NULLABLE, 24), // typeChecking
    f(3, 7232, 10, K::Message, S::Repeated, NULLABLE, 713), // conditions
    // 32 admissionregistration/v1.ValidatingWebhook
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 7498, 12, K::Message, S::One, REQUIRED, 36), // clientConfig
    f(3, 10980, 5, K::Message, S::Repeated, NULLABLE, 22), // rules
    f(4, 6956, 13, K::String, S::One, NULLABLE, 0), // failurePolicy
    f(5, 4233, 17, K::Message, S::One, NULLABLE, 721), // namespaceSelector
    f(6, 8528, 11, K::String, S::One, REQUIRED | NULLABLE, 0), // sideEffects
    f(7, 6730, 14, K::Int, S::One, NULLABLE, 0), // timeoutSeconds
    f(8, 1572, 23, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // admissionReviewVersions
    f(9, 8341, 11, K::String, S::One, NULLABLE, 0), // matchPolicy
    f(10, 6520, 14, K::Message, S::One, NULLABLE, 721), // objectSelector
    f(11, 5693, 15, K::Message, S::Repeated, NULLABLE, 6), // matchConditions
    // 33 admissionregistration/v1.ValidatingWebhookConfiguration
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10222, 8, K::Message, S::Repeated, NULLABLE, 32), // webhooks
    // 34 admissionregistration/v1.ValidatingWebhookConfigurationList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 33), // items
    // 35 admissionregistration/v1.Validation
    f(1, 3461, 10, K::String, S::One, REQUIRED, 0), // expression
    f(2, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(3, 10806, 6, K::String, S::One, NULLABLE, 0), // reason
    f(4, 4199, 17, K::String, S::One, SKIP_ZERO, 0), // messageExpression
    // 36 admissionregistration/v1.WebhookClientConfig
    f(1, 669, 7, K::Message, S::One, NULLABLE, 23), // service
    f(2, 9774, 8, K::Bytes, S::One, SKIP_ZERO | NULLABLE, 0), // caBundle
    f(3, 11110, 3, K::String, S::One, NULLABLE, 0), // url
    // 37 admissionregistration/v1beta1.MutatingWebhook
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 7498, 12, K::Message, S::One, REQUIRED, 36), // clientConfig
    f(3, 10980, 5, K::Message, S::Repeated, NULLABLE, 22), // rules
    f(4, 6956, 13, K::String, S::One, NULLABLE, 0), // failurePolicy
    f(5, 4233, 17, K::Message, S::One, NULLABLE, 721), // namespaceSelector
    f(6, 8528, 11, K::String, S::One, NULLABLE, 0), // sideEffects
    f(7, 6730, 14, K::Int, S::One, NULLABLE, 0), // timeoutSeconds
    f(8, 1572, 23, K::String, S::Repeated, NULLABLE, 0), // admissionReviewVersions
    f(9, 8341, 11, K::String, S::One, NULLABLE, 0), // matchPolicy
    f(10, 3641, 18, K::String, S::One, NULLABLE, 0), // reinvocationPolicy
    f(11, 6520, 14, K::Message, S::One, NULLABLE, 721), // objectSelector
    f(12, 5693, 15, K::Message, S::Repeated, NULLABLE, 6), // matchConditions
    // 38 admissionregistration/v1beta1.MutatingWebhookConfiguration
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10222, 8, K::Message, S::Repeated, NULLABLE, 37), // webhooks
    // 39 admissionregistration/v1beta1.MutatingWebhookConfigurationList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 38), // items
    // 40 admissionregistration/v1beta1.ValidatingWebhook
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 7498, 12, K::Message, S::One, REQUIRED, 36), // clientConfig
    f(3, 10980, 5, K::Message, S::Repeated, NULLABLE, 22), // rules
    f(4, 6956, 13, K::String, S::One, NULLABLE, 0), // failurePolicy
    f(5, 4233, 17, K::Message, S::One, NULLABLE, 721), // namespaceSelector
    f(6, 8528, 11, K::String, S::One, NULLABLE, 0), // sideEffects
    f(7, 6730, 14, K::Int, S::One, NULLABLE, 0), // timeoutSeconds
    f(8, 1572, 23, K::String, S::Repeated, NULLABLE, 0), // admissionReviewVersions
    f(9, 8341, 11, K::String, S::One, NULLABLE, 0), // matchPolicy
    f(10, 6520, 14, K::Message, S::One, NULLABLE, 721), // objectSelector
    f(11, 5693, 15, K::Message, S::Repeated, NULLABLE, 6), // matchConditions
    // 41 admissionregistration/v1beta1.ValidatingWebhookConfiguration
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10222, 8, K::Message, S::Repeated, NULLABLE, 40), // webhooks
    // 42 admissionregistration/v1beta1.ValidatingWebhookConfigurationList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 41), // items
    // 43 apidiscovery/v2.APIGroupDiscovery
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10198, 8, K::Message, S::Repeated, NULLABLE, 47), // versions
    // 44 apidiscovery/v2.APIGroupDiscoveryList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 43), // items
    // 45 apidiscovery/v2.APIResourceDiscovery
    f(1, 460, 8, K::String, S::One, REQUIRED, 0), // resource
    f(2, 7726, 12, K::Message, S::One, NULLABLE, 719), // responseKind
    f(3, 7346, 5, K::String, S::One, REQUIRED, 0), // scope
    f(4, 5312, 16, K::String, S::One, REQUIRED, 0), // singularResource
    f(5, 11000, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(6, 9029, 10, K::String, S::Repeated, NULLABLE, 0), // shortNames
    f(7, 8669, 10, K::String, S::Repeated, NULLABLE, 0), // categories
    f(8, 7834, 12, K::Message, S::Repeated, NULLABLE, 46), // subresources
    // 46 apidiscovery/v2.APISubresourceDiscovery
    f(1, 7834, 11, K::String, S::One, REQUIRED, 0), // subresource
    f(2, 7726, 12, K::Message, S::One, NULLABLE, 719), // responseKind
    f(3, 6813, 13, K::Message, S::Repeated, NULLABLE, 719), // acceptedTypes
    f(4, 11000, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    // 47 apidiscovery/v2.APIVersionDiscovery
    f(1, 1359, 7, K::String, S::One, REQUIRED, 0), // version
    f(2, 7837, 9, K::Message, S::Repeated, NULLABLE, 45), // resources
    f(3, 9295, 9, K::String, S::One, SKIP_ZERO, 0), // freshness
    // 48 apiserverinternal/v1alpha1.ServerStorageVersion
    f(1, 8055, 11, K::String, S::One, SKIP_ZERO, 0), // apiServerID
    f(2, 5588, 15, K::String, S::One, SKIP_ZERO, 0), // encodingVersion
    f(3, 4012, 17, K::String, S::Repeated, NULLABLE, 0), // decodableVersions
    f(4, 6660, 14, K::String, S::Repeated, NULLABLE, 0), // servedVersions
    // 49 apiserverinternal/v1alpha1.StorageVersion
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 52), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 53), // status
    // 50 apiserverinternal/v1alpha1.StorageVersionCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(4, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(5, 10806, 6, K::String, S::One, REQUIRED, 0), // reason
    f(6, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 51 apiserverinternal/v1alpha1.StorageVersionList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 49), // items
    // 52 apiserverinternal/v1alpha1.StorageVersionSpec
    // 53 apiserverinternal/v1alpha1.StorageVersionStatus
    f(1, 6008, 15, K::Message, S::Repeated, NULLABLE, 48), // storageVersions
    f(2, 2131, 21, K::String, S::One, NULLABLE, 0), // commonEncodingVersion
    f(3, 7232, 10, K::Message, S::Repeated, NULLABLE, 50), // conditions
    // 54 apps/v1.ControllerRevision
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 3277, 4, K::Raw, S::One, REQUIRED, 0), // data
    f(3, 2824, 8, K::Int, S::One, REQUIRED, 0), // revision
    // 55 apps/v1.ControllerRevisionList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 54), // items
    // 56 apps/v1.DaemonSet
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 59), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 60), // status
    // 57 apps/v1.DaemonSetCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(4, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 58 apps/v1.DaemonSetList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 56), // items
    // 59 apps/v1.DaemonSetSpec
    f(1, 9556, 8, K::Message, S::One, REQUIRED | NULLABLE, 721), // selector
    f(2, 3839, 8, K::Message, S::One, REQUIRED, 349), // template
    f(3, 6758, 14, K::Message, S::One, REQUIRED, 61), // updateStrategy
    f(4, 5708, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    f(6, 2824, 20, K::Int, S::One, NULLABLE, 0), // revisionHistoryLimit
    // 60 apps/v1.DaemonSetStatus
    f(1, 1825, 22, K::Int, S::One, REQUIRED, 0), // currentNumberScheduled
    f(2, 3605, 18, K::Int, S::One, REQUIRED, 0), // numberMisscheduled
    f(3, 1847, 22, K::Int, S::One, REQUIRED, 0), // desiredNumberScheduled
    f(4, 8396, 11, K::Int, S::One, REQUIRED, 0), // numberReady
    f(5, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(6, 2045, 22, K::Int, S::One, SKIP_ZERO, 0), // updatedNumberScheduled
    f(7, 5738, 15, K::Int, S::One, SKIP_ZERO, 0), // numberAvailable
    f(8, 4301, 17, K::Int, S::One, SKIP_ZERO, 0), // numberUnavailable
    f(9, 6184, 14, K::Int, S::One, NULLABLE, 0), // collisionCount
    f(10, 7232, 10, K::Message, S::Repeated, NULLABLE, 57), // conditions
    // 61 apps/v1.DaemonSetUpdateStrategy
    f(1, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(2, 7307, 13, K::Message, S::One, NULLABLE, 71), // rollingUpdate
    // 62 apps/v1.Deployment
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 65), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 66), // status
    // 63 apps/v1.DeploymentCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(4, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(6, 6436, 14, K::Time, S::One, REQUIRED, 0), // lastUpdateTime
    f(7, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    // 64 apps/v1.DeploymentList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 62), // items
    // 65 apps/v1.DeploymentSpec
    f(1, 10126, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9556, 8, K::Message, S::One, REQUIRED | NULLABLE, 721), // selector
    f(3, 3839, 8, K::Message, S::One, REQUIRED, 349), // template
    f(4, 10158, 8, K::Message, S::One, REQUIRED, 61), // strategy
    f(5, 5708, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    f(6, 2824, 20, K::Int, S::One, NULLABLE, 0), // revisionHistoryLimit
    f(7, 10758, 6, K::Bool, S::One, SKIP_ZERO, 0), // paused
    f(9, 1710, 23, K::Int, S::One, NULLABLE, 0), // progressDeadlineSeconds
    // 66 apps/v1.DeploymentStatus
    f(1, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(2, 10126, 8, K::Int, S::One, SKIP_ZERO, 0), // replicas
    f(3, 6023, 15, K::Int, S::One, SKIP_ZERO, 0), // updatedReplicas
    f(4, 3228, 17, K::Int, S::One, SKIP_ZERO, 0), // availableReplicas
    f(5, 3226, 19, K::Int, S::One, SKIP_ZERO, 0), // unavailableReplicas
    f(6, 7232, 10, K::Message, S::Repeated, NULLABLE, 63), // conditions
    f(7, 7242, 13, K::Int, S::One, SKIP_ZERO, 0), // readyReplicas
    f(8, 6184, 14, K::Int, S::One, NULLABLE, 0), // collisionCount
    f(9, 3188, 19, K::Int, S::One, NULLABLE, 0), // terminatingReplicas
    // 67 apps/v1.ReplicaSet
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 69), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 70), // status
    // 68 apps/v1.ReplicaSetList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 67), // items
    // 69 apps/v1.ReplicaSetSpec
    f(1, 10126, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9556, 8, K::Message, S::One, REQUIRED | NULLABLE, 721), // selector
    f(3, 3839, 8, K::Message, S::One, REQUIRED, 349), // template
    f(4, 5708, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    // 70 apps/v1.ReplicaSetStatus
    f(1, 10126, 8, K::Int, S::One, REQUIRED, 0), // replicas
    f(2, 2604, 20, K::Int, S::One, SKIP_ZERO, 0), // fullyLabeledReplicas
    f(3, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(4, 7242, 13, K::Int, S::One, SKIP_ZERO, 0), // readyReplicas
    f(5, 3228, 17, K::Int, S::One, SKIP_ZERO, 0), // availableReplicas
    f(6, 7232, 10, K::Message, S::Repeated, NULLABLE, 57), // conditions
    f(7, 3188, 19, K::Int, S::One, NULLABLE, 0), // terminatingReplicas
    // 71 apps/v1.RollingUpdateDaemonSet
    f(1, 6506, 14, K::IntOrString, S::One, NULLABLE, 0), // maxUnavailable
    f(2, 9926, 8, K::IntOrString, S::One, NULLABLE, 0), // maxSurge
    // 72 apps/v1.RollingUpdateStatefulSetStrategy
    f(1, 1935, 9, K::Int, S::One, NULLABLE, 0), // partition
    f(2, 6506, 14, K::IntOrString, S::One, NULLABLE, 0), // maxUnavailable
    // 73 apps/v1.StatefulSet
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 77), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 78), // status
    // 74 apps/v1.StatefulSetList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 73), // items
    // 75 apps/v1.StatefulSetOrdinals
    f(1, 1756, 5, K::Int, S::One, REQUIRED, 0), // start
    // 76 apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy
    f(1, 8627, 11, K::String, S::One, SKIP_ZERO, 0), // whenDeleted
    f(2, 9149, 10, K::String, S::One, SKIP_ZERO, 0), // whenScaled
    // 77 apps/v1.StatefulSetSpec
    f(1, 10126, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9556, 8, K::Message, S::One, REQUIRED | NULLABLE, 721), // selector
    f(3, 3839, 8, K::Message, S::One, REQUIRED, 349), // template
    f(4, 2844, 20, K::Message, S::Repeated, NULLABLE, 314), // volumeClaimTemplates
    f(5, 8506, 11, K::String, S::One, REQUIRED, 0), // serviceName
    f(6, 3093, 19, K::String, S::One, SKIP_ZERO, 0), // podManagementPolicy
    f(7, 6758, 14, K::Message, S::One, REQUIRED, 79), // updateStrategy
    f(8, 2824, 20, K::Int, S::One, NULLABLE, 0), // revisionHistoryLimit
    f(9, 5708, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    f(10, 177, 36, K::Message, S::One, NULLABLE, 76), // persistentVolumeClaimRetentionPolicy
    f(11, 10014, 8, K::Message, S::One, NULLABLE, 75), // ordinals
    // 78 apps/v1.StatefulSetStatus
    f(1, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(2, 10126, 8, K::Int, S::One, REQUIRED, 0), // replicas
    f(3, 7242, 13, K::Int, S::One, SKIP_ZERO, 0), // readyReplicas
    f(4, 5483, 15, K::Int, S::One, SKIP_ZERO, 0), // currentReplicas
    f(5, 6023, 15, K::Int, S::One, SKIP_ZERO, 0), // updatedReplicas
    f(6, 5498, 15, K::String, S::One, SKIP_ZERO, 0), // currentRevision
    f(7, 6744, 14, K::String, S::One, SKIP_ZERO, 0), // updateRevision
    f(9, 6184, 14, K::Int, S::One, NULLABLE, 0), // collisionCount
    f(10, 7232, 10, K::Message, S::Repeated, NULLABLE, 57), // conditions
    f(11, 3228, 17, K::Int, S::One, REQUIRED, 0), // availableReplicas
    // 79 apps/v1.StatefulSetUpdateStrategy
    f(1, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(2, 7307, 13, K::Message, S::One, NULLABLE, 72), // rollingUpdate
    // 80 apps/v1beta1.Deployment
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 83), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 66), // status
    // 81 apps/v1beta1.DeploymentList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 80), // items
    // 82 apps/v1beta1.DeploymentRollback
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 3875, 18, K::String, S::Map, NULLABLE, 0), // updatedAnnotations
    f(3, 8999, 10, K::Message, S::One, REQUIRED, 84), // rollbackTo
    // 83 apps/v1beta1.DeploymentSpec
    f(1, 10126, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9556, 8, K::Message, S::One, NULLABLE, 721), // selector
    f(3, 3839, 8, K::Message, S::One, REQUIRED, 349), // template
    f(4, 10158, 8, K::Message, S::One, REQUIRED, 61), // strategy
    f(5, 5708, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    f(6, 2824, 20, K::Int, S::One, NULLABLE, 0), // revisionHistoryLimit
    f(7, 10758, 6, K::Bool, S::One, SKIP_ZERO, 0), // paused
    f(8, 8999, 10, K::Message, S::One, NULLABLE, 84), // rollbackTo
    f(9, 1710, 23, K::Int, S::One, NULLABLE, 0), // progressDeadlineSeconds
    // 84 apps/v1beta1.RollbackConfig
    f(1, 2824, 8, K::Int, S::One, SKIP_ZERO, 0), // revision
    // 85 apps/v1beta1.Scale
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 86), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 87), // status
    // 86 apps/v1beta1.ScaleSpec
    f(1, 10126, 8, K::Int, S::One, SKIP_ZERO, 0), // replicas
    // 87 apps/v1beta1.ScaleStatus
    f(1, 10126, 8, K::Int, S::One, REQUIRED, 0), // replicas
    f(2, 9556, 8, K::String, S::Map, NULLABLE, 0), // selector
    f(3, 6716, 14, K::String, S::One, SKIP_ZERO, 0), // targetSelector
    // 88 apps/v1beta1.StatefulSet
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 90), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 91), // status
    // 89 apps/v1beta1.StatefulSetList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 88), // items
    // 90 apps/v1beta1.StatefulSetSpec
    f(1, 10126, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9556, 8, K::Message, S::One, NULLABLE, 721), // selector
    f(3, 3839, 8, K::Message, S::One, REQUIRED, 349), // template
    f(4, 2844, 20, K::Message, S::Repeated, NULLABLE, 314), // volumeClaimTemplates
    f(5, 8506, 11, K::String, S::One, REQUIRED, 0), // serviceName
    f(6, 3093, 19, K::String, S::One, SKIP_ZERO, 0), // podManagementPolicy
    f(7, 6758, 14, K::Message, S::One, REQUIRED, 79), // updateStrategy
    f(8, 2824, 20, K::Int, S::One, NULLABLE, 0), // revisionHistoryLimit
    f(9, 5708, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    f(10, 177, 36, K::Message, S::One, NULLABLE, 76), // persistentVolumeClaimRetentionPolicy
    f(11, 10014, 8, K::Message, S::One, NULLABLE, 75), // ordinals
    // 91 apps/v1beta1.StatefulSetStatus
    f(1, 3623, 18, K::Int, S::One, NULLABLE, 0), // observedGeneration
    f(2, 10126, 8, K::Int, S::One, REQUIRED, 0), // replicas
    f(3, 7242, 13, K::Int, S::One, SKIP_ZERO, 0), // readyReplicas
    f(4, 5483, 15, K::Int, S::One, SKIP_ZERO, 0), // currentReplicas
    f(5, 6023, 15, K::Int, S::One, SKIP_ZERO, 0), // updatedReplicas
    f(6, 5498, 15, K::String, S::One, SKIP_ZERO, 0), // currentRevision
    f(7, 6744, 14, K::String, S::One, SKIP_ZERO, 0), // updateRevision
    f(9, 6184, 14, K::Int, S::One, NULLABLE, 0), // collisionCount
    f(10, 7232, 10, K::Message, S::Repeated, NULLABLE, 57), // conditions
    f(11, 3228, 17, K::Int, S::One, REQUIRED, 0), // availableReplicas
    // 92 authentication/v1.AttestationValue
    f(1, 10935, 5, K::String, S::Repeated, NULLABLE, 0), // items
    // 93 authentication/v1.BoundObjectReference
    f(1, 11051, 4, K::String, S::One, SKIP_ZERO, 0), // kind
    f(2, 8066, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    f(3, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(4, 11107, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    // 94 authentication/v1.SelfSubjectReview
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 3803, 6, K::Message, S::One, REQUIRED, 95), // status
    // 95 authentication/v1.SelfSubjectReviewStatus
    f(1, 10182, 8, K::Message, S::One, REQUIRED, 102), // userInfo
    // 96 authentication/v1.TokenRequest
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 97), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 98), // status
    // 97 authentication/v1.TokenRequestSpec
    f(1, 9187, 9, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // audiences
    f(3, 6170, 14, K::Message, S::One, REQUIRED | NULLABLE, 93), // boundObjectRef
    f(4, 4097, 17, K::Int, S::One, REQUIRED | NULLABLE, 0), // expirationSeconds
    f(5, 7462, 12, K::Items, S::Map, NULLABLE, 92), // attestations
    // 98 authentication/v1.TokenRequestStatus
    f(1, 7398, 5, K::String, S::One, REQUIRED, 0), // token
    f(2, 2979, 19, K::Time, S::One, REQUIRED, 0), // expirationTimestamp
    // 99 authentication/v1.TokenReview
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 100), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 101), // status
    // 100 authentication/v1.TokenReviewSpec
    f(1, 7398, 5, K::String, S::One, SKIP_ZERO, 0), // token
    f(2, 9187, 9, K::String, S::Repeated, NULLABLE, 0), // audiences
    // 101 authentication/v1.TokenReviewStatus
    f(1, 6826, 13, K::Bool, S::One, SKIP_ZERO, 0), // authenticated
    f(2, 6038, 4, K::Message, S::One, REQUIRED, 102), // user
    f(3, 9259, 5, K::String, S::One, SKIP_ZERO, 0), // error
    f(4, 9187, 9, K::String, S::Repeated, NULLABLE, 0), // audiences
    // 102 authentication/v1.UserInfo
    f(1, 10190, 8, K::String, S::One, SKIP_ZERO, 0), // username
    f(2, 11107, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    f(3, 10704, 6, K::String, S::Repeated, NULLABLE, 0), // groups
    f(4, 10915, 5, K::Items, S::Map, NULLABLE, 92), // extra
    // 103 authorization/v1.FieldSelectorAttributes
    f(1, 8462, 11, K::String, S::One, SKIP_ZERO, 0), // rawSelector
    f(2, 7702, 12, K::Message, S::Repeated, NULLABLE, 305), // requirements
    // 104 authorization/v1.LocalSubjectAccessReview
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 113), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 114), // status
    // 105 authorization/v1.NonResourceAttributes
    f(1, 10038, 4, K::String, S::One, SKIP_ZERO, 0), // path
    f(2, 11000, 4, K::String, S::One, SKIP_ZERO, 0), // verb
    // 106 authorization/v1.NonResourceRule
    f(1, 11000, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(2, 5723, 15, K::String, S::Repeated, NULLABLE, 0), // nonResourceURLs
    // 107 authorization/v1.ResourceAttributes
    f(1, 4233, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(2, 11000, 4, K::String, S::One, SKIP_ZERO, 0), // verb
    f(3, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(4, 1359, 7, K::String, S::One, SKIP_ZERO, 0), // version
    f(5, 460, 8, K::String, S::One, SKIP_ZERO, 0), // resource
    f(6, 7834, 11, K::String, S::One, SKIP_ZERO, 0), // subresource
    f(7, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(8, 6969, 13, K::Message, S::One, NULLABLE, 103), // fieldSelector
    f(9, 4131, 13, K::Message, S::One, NULLABLE, 103), // labelSelector
    // 108 authorization/v1.ResourceRule
    f(1, 11000, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(2, 9178, 9, K::String, S::Repeated, NULLABLE, 0), // apiGroups
    f(3, 7837, 9, K::String, S::Repeated, NULLABLE, 0), // resources
    f(4, 7281, 13, K::String, S::Repeated, NULLABLE, 0), // resourceNames
    // 109 authorization/v1.SelfSubjectAccessReview
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 110), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 114), // status
    // 110 authorization/v1.SelfSubjectAccessReviewSpec
    f(1, 3713, 18, K::Message, S::One, NULLABLE, 107), // resourceAttributes
    f(2, 2257, 21, K::Message, S::One, NULLABLE, 105), // nonResourceAttributes
    // 111 authorization/v1.SelfSubjectRulesReview
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 112), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 115), // status
    // 112 authorization/v1.SelfSubjectRulesReviewSpec
    f(1, 4233, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    // 113 authorization/v1.SubjectAccessReviewSpec
    f(1, 3713, 18, K::Message, S::One, NULLABLE, 107), // resourceAttributes
    f(2, 2257, 21, K::Message, S::One, NULLABLE, 105), // nonResourceAttributes
    f(3, 6038, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(4, 10704, 6, K::String, S::Repeated, NULLABLE, 0), // groups
    f(5, 10915, 5, K::Items, S::Map, NULLABLE, 92), // extra
    f(6, 11107, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    // 114 authorization/v1.SubjectAccessReviewStatus
    f(1, 3893, 7, K::Bool, S::One, REQUIRED, 0), // allowed
    f(2, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(3, 5603, 15, K::String, S::One, SKIP_ZERO, 0), // evaluationError
    f(4, 10650, 6, K::Bool, S::One, SKIP_ZERO, 0), // denied
    // 115 authorization/v1.SubjectRulesReviewStatus
    f(1, 7294, 13, K::Message, S::Repeated, REQUIRED | NULLABLE, 108), // resourceRules
    f(2, 5104, 16, K::Message, S::Repeated, REQUIRED | NULLABLE, 106), // nonResourceRules
    f(3, 8809, 10, K::Bool, S::One, REQUIRED, 0), // incomplete
    f(4, 5603, 15, K::String, S::One, SKIP_ZERO, 0), // evaluationError
    // 116 authorization/v1beta1.LocalSubjectAccessReview
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 117), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 114), // status
    // 117 authorization/v1beta1.SubjectAccessReviewSpec
    f(1, 3713, 18, K::Message, S::One, NULLABLE, 107), // resourceAttributes
    f(2, 2257, 21, K::Message, S::One, NULLABLE, 105), // nonResourceAttributes
    f(3, 6038, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(4, 2624, 5, K::String, S::Repeated, NULLABLE, 0), // group
    f(5, 10915, 5, K::Items, S::Map, NULLABLE, 92), // extra
    f(6, 11107, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    // 118 autoscaling/v1.CrossVersionObjectReference
    f(1, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    f(2, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(3, 8066, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    // 119 autoscaling/v1.HorizontalPodAutoscaler
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 121), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 122), // status
    // 120 autoscaling/v1.HorizontalPodAutoscalerList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 119), // items
    // 121 autoscaling/v1.HorizontalPodAutoscalerSpec
    f(1, 6618, 14, K::Message, S::One, REQUIRED, 118), // scaleTargetRef
    f(2, 8363, 11, K::Int, S::One, NULLABLE, 0), // minReplicas
    f(3, 8352, 11, K::Int, S::One, REQUIRED, 0), // maxReplicas
    f(4, 408, 30, K::Int, S::One, NULLABLE, 0), // targetCPUUtilizationPercentage
    // 122 autoscaling/v1.HorizontalPodAutoscalerStatus
    f(1, 3623, 18, K::Int, S::One, NULLABLE, 0), // observedGeneration
    f(2, 7099, 13, K::Time, S::One, NULLABLE, 0), // lastScaleTime
    f(3, 5483, 15, K::Int, S::One, REQUIRED, 0), // currentReplicas
    f(4, 5558, 15, K::Int, S::One, REQUIRED, 0), // desiredReplicas
    f(5, 315, 31, K::Int, S::One, NULLABLE, 0), // currentCPUUtilizationPercentage
    // 123 autoscaling/v1.Scale
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 86), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 124), // status
    // 124 autoscaling/v1.ScaleStatus
    f(1, 10126, 8, K::Int, S::One, REQUIRED, 0), // replicas
    f(2, 9556, 8, K::String, S::One, SKIP_ZERO, 0), // selector
    // 125 autoscaling/v2.ContainerResourceMetricSource
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 377, 6, K::Message, S::One, REQUIRED, 140), // target
    f(3, 1595, 9, K::String, S::One, REQUIRED, 0), // container
    // 126 autoscaling/v2.ContainerResourceMetricStatus
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 283, 7, K::Message, S::One, REQUIRED, 141), // current
    f(3, 1595, 9, K::String, S::One, REQUIRED, 0), // container
    // 127 autoscaling/v2.ExternalMetricSource
    f(1, 10433, 6, K::Message, S::One, REQUIRED, 137), // metric
    f(2, 377, 6, K::Message, S::One, REQUIRED, 140), // target
    // 128 autoscaling/v2.ExternalMetricStatus
    f(1, 10433, 6, K::Message, S::One, REQUIRED, 137), // metric
    f(2, 283, 7, K::Message, S::One, REQUIRED, 141), // current
    // 129 autoscaling/v2.HPAScalingPolicy
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 6068, 5, K::Int, S::One, REQUIRED, 0), // value
    f(3, 7203, 13, K::Int, S::One, REQUIRED, 0), // periodSeconds
    // 130 autoscaling/v2.HPAScalingRules
    f(1, 7786, 12, K::String, S::One, NULLABLE, 0), // selectPolicy
    f(2, 10070, 8, K::Message, S::Repeated, NULLABLE, 129), // policies
    f(3, 907, 26, K::Int, S::One, NULLABLE, 0), // stabilizationWindowSeconds
    f(4, 9691, 9, K::Quantity, S::One, NULLABLE, 0), // tolerance
    // 131 autoscaling/v2.HorizontalPodAutoscaler
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 135), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 136), // status
    // 132 autoscaling/v2.HorizontalPodAutoscalerBehavior
    f(1, 10538, 7, K::Message, S::One, NULLABLE, 130), // scaleUp
    f(2, 9529, 9, K::Message, S::One, NULLABLE, 130), // scaleDown
    // 133 autoscaling/v2.HorizontalPodAutoscalerCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(4, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(6, 3623, 18, K::Int, S::One, NULLABLE, 0), // observedGeneration
    // 134 autoscaling/v2.HorizontalPodAutoscalerList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 131), // items
    // 135 autoscaling/v2.HorizontalPodAutoscalerSpec
    f(1, 6618, 14, K::Message, S::One, REQUIRED, 118), // scaleTargetRef
    f(2, 8363, 11, K::Int, S::One, NULLABLE, 0), // minReplicas
    f(3, 8352, 11, K::Int, S::One, REQUIRED, 0), // maxReplicas
    f(4, 10433, 7, K::Message, S::Repeated, NULLABLE, 138), // metrics
    f(5, 9766, 8, K::Message, S::One, NULLABLE, 132), // behavior
    // 136 autoscaling/v2.HorizontalPodAutoscalerStatus
    f(1, 3623, 18, K::Int, S::One, NULLABLE, 0), // observedGeneration
    f(2, 7099, 13, K::Time, S::One, NULLABLE, 0), // lastScaleTime
    f(3, 5483, 15, K::Int, S::One, SKIP_ZERO, 0), // currentReplicas
    f(4, 5558, 15, K::Int, S::One, REQUIRED, 0), // desiredReplicas
    f(5, 6240, 14, K::Message, S::Repeated, REQUIRED | NULLABLE, 139), // currentMetrics
    f(6, 7232, 10, K::Message, S::Repeated, NULLABLE, 133), // conditions
    // 137 autoscaling/v2.MetricIdentifier
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 9556, 8, K::Message, S::One, NULLABLE, 721), // selector
    // 138 autoscaling/v2.MetricSpec
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 6520, 6, K::Message, S::One, NULLABLE, 142), // object
    f(3, 11067, 4, K::Message, S::One, NULLABLE, 127), // pods
    f(4, 460, 8, K::Message, S::One, NULLABLE, 144), // resource
    f(5, 2152, 8, K::Message, S::One, NULLABLE, 127), // external
    f(7, 3961, 17, K::Message, S::One, NULLABLE, 125), // containerResource
    // 139 autoscaling/v2.MetricStatus
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 6520, 6, K::Message, S::One, NULLABLE, 143), // object
    f(3, 11067, 4, K::Message, S::One, NULLABLE, 128), // pods
    f(4, 460, 8, K::Message, S::One, NULLABLE, 145), // resource
    f(5, 2152, 8, K::Message, S::One, NULLABLE, 128), // external
    f(7, 3961, 17, K::Message, S::One, NULLABLE, 126), // containerResource
    // 140 autoscaling/v2.MetricTarget
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 6068, 5, K::Quantity, S::One, NULLABLE, 0), // value
    f(3, 7474, 12, K::Quantity, S::One, NULLABLE, 0), // averageValue
    f(4, 3281, 18, K::Int, S::One, NULLABLE, 0), // averageUtilization
    // 141 autoscaling/v2.MetricValueStatus
    f(1, 6068, 5, K::Quantity, S::One, NULLABLE, 0), // value
    f(2, 7474, 12, K::Quantity, S::One, NULLABLE, 0), // averageValue
    f(3, 3281, 18, K::Int, S::One, NULLABLE, 0), // averageUtilization
    // 142 autoscaling/v2.ObjectMetricSource
    f(1, 5543, 15, K::Message, S::One, REQUIRED, 118), // describedObject
    f(2, 377, 6, K::Message, S::One, REQUIRED, 140), // target
    f(3, 10433, 6, K::Message, S::One, REQUIRED, 137), // metric
    // 143 autoscaling/v2.ObjectMetricStatus
    f(1, 10433, 6, K::Message, S::One, REQUIRED, 137), // metric
    f(2, 283, 7, K::Message, S::One, REQUIRED, 141), // current
    f(3, 5543, 15, K::Message, S::One, REQUIRED, 118), // describedObject
    // 144 autoscaling/v2.ResourceMetricSource
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 377, 6, K::Message, S::One, REQUIRED, 140), // target
    // 145 autoscaling/v2.ResourceMetricStatus
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 283, 7, K::Message, S::One, REQUIRED, 141), // current
    // 146 batch/v1.CronJob
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 148), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 149), // status
    // 147 batch/v1.CronJobList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 146), // items
    // 148 batch/v1.CronJobSpec
    f(1, 3614, 8, K::String, S::One, REQUIRED, 0), // schedule
    f(2, 1756, 23, K::Int, S::One, NULLABLE, 0), // startingDeadlineSeconds
    f(3, 3944, 17, K::String, S::One, SKIP_ZERO, 0), // concurrencyPolicy
    f(4, 10587, 7, K::Bool, S::One, NULLABLE, 0), // suspend
    f(5, 8308, 11, K::Message, S::One, REQUIRED, 156), // jobTemplate
    f(6, 933, 26, K::Int, S::One, NULLABLE, 0), // successfulJobsHistoryLimit
    f(7, 1891, 22, K::Int, S::One, NULLABLE, 0), // failedJobsHistoryLimit
    f(8, 10174, 8, K::String, S::One, NULLABLE, 0), // timeZone
    // 149 batch/v1.CronJobStatus
    f(1, 2089, 6, K::Message, S::Repeated, NULLABLE, 312), // active
    f(4, 4976, 16, K::Time, S::One, NULLABLE, 0), // lastScheduleTime
    f(5, 3497, 18, K::Time, S::One, NULLABLE, 0), // lastSuccessfulTime
    // 150 batch/v1.Job
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 154), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 155), // status
    // 151 batch/v1.JobCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 7086, 13, K::Time, S::One, REQUIRED, 0), // lastProbeTime
    f(4, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(5, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(6, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 152 batch/v1.JobList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 150), // items
    // 153 batch/v1.JobSchedulingConfiguration
    f(1, 5264, 16, K::Message, S::One, NULLABLE, 654), // schedulingPolicy
    f(2, 2320, 21, K::Message, S::One, NULLABLE, 628), // schedulingConstraints
    f(3, 6310, 14, K::Message, S::One, NULLABLE, 640), // disruptionMode
    f(4, 6604, 14, K::Message, S::Repeated, NULLABLE, 627), // resourceClaims
    // 154 batch/v1.JobSpec
    f(1, 8418, 11, K::Int, S::One, NULLABLE, 0), // parallelism
    f(2, 8132, 11, K::Int, S::One, NULLABLE, 0), // completions
    f(3, 2089, 21, K::Int, S::One, NULLABLE, 0), // activeDeadlineSeconds
    f(4, 9556, 8, K::Message, S::One, NULLABLE, 721), // selector
    f(5, 6464, 14, K::Bool, S::One, NULLABLE, 0), // manualSelector
    f(6, 3839, 8, K::Message, S::One, REQUIRED, 349), // template
    f(7, 2484, 12, K::Int, S::One, NULLABLE, 0), // backoffLimit
    f(8, 1779, 23, K::Int, S::One, NULLABLE, 0), // ttlSecondsAfterFinished
    f(9, 6198, 14, K::String, S::One, NULLABLE, 0), // completionMode
    f(10, 10587, 7, K::Bool, S::One, NULLABLE, 0), // suspend
    f(11, 5152, 16, K::Message, S::One, NULLABLE, 157), // podFailurePolicy
    f(12, 2484, 20, K::Int, S::One, NULLABLE, 0), // backoffLimitPerIndex
    f(13, 5056, 16, K::Int, S::One, NULLABLE, 0), // maxFailedIndexes
    f(14, 2784, 20, K::String, S::One, NULLABLE, 0), // podReplacementPolicy
    f(15, 9385, 9, K::String, S::One, NULLABLE, 0), // managedBy
    f(16, 7385, 13, K::Message, S::One, NULLABLE, 161), // successPolicy
    f(17, 2320, 10, K::Message, S::One, NULLABLE, 153), // scheduling
    // 155 batch/v1.JobStatus
    f(1, 7232, 10, K::Message, S::Repeated, NULLABLE, 151), // conditions
    f(2, 9610, 9, K::Time, S::One, NULLABLE, 0), // startTime
    f(3, 6212, 14, K::Time, S::One, NULLABLE, 0), // completionTime
    f(4, 2089, 6, K::Int, S::One, SKIP_ZERO, 0), // active
    f(5, 5360, 9, K::Int, S::One, SKIP_ZERO, 0), // succeeded
    f(6, 1891, 6, K::Int, S::One, SKIP_ZERO, 0), // failed
    f(7, 4672, 16, K::String, S::One, SKIP_ZERO, 0), // completedIndexes
    f(8, 1802, 23, K::Message, S::One, NULLABLE, 163), // uncountedTerminatedPods
    f(9, 7242, 5, K::Int, S::One, NULLABLE, 0), // ready
    f(10, 6943, 13, K::String, S::One, NULLABLE, 0), // failedIndexes
    f(11, 3188, 11, K::Int, S::One, NULLABLE, 0), // terminating
    // 156 batch/v1.JobTemplateSpec
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 154), // spec
    // 157 batch/v1.PodFailurePolicy
    f(1, 10980, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 160), // rules
    // 158 batch/v1.PodFailurePolicyOnExitCodesRequirement
    f(1, 6865, 13, K::String, S::One, NULLABLE, 0), // containerName
    f(2, 10006, 8, K::String, S::One, REQUIRED, 0), // operator
    f(3, 10878, 6, K::Int, S::Repeated, REQUIRED | NULLABLE, 0), // values
    // 159 batch/v1.PodFailurePolicyOnPodConditionsPattern
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    // 160 batch/v1.PodFailurePolicyRule
    f(1, 10614, 6, K::String, S::One, REQUIRED, 0), // action
    f(2, 8407, 11, K::Message, S::One, NULLABLE, 158), // onExitCodes
    f(3, 5753, 15, K::Message, S::Repeated, NULLABLE, 159), // onPodConditions
    // 161 batch/v1.SuccessPolicy
    f(1, 10980, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 162), // rules
    // 162 batch/v1.SuccessPolicyRule
    f(1, 5360, 16, K::String, S::One, NULLABLE, 0), // succeededIndexes
    f(2, 6702, 14, K::Int, S::One, NULLABLE, 0), // succeededCount
    // 163 batch/v1.UncountedTerminatedPods
    f(1, 5360, 9, K::String, S::Repeated, NULLABLE, 0), // succeeded
    f(2, 1891, 6, K::String, S::Repeated, NULLABLE, 0), // failed
    // 164 certificates/v1.CertificateSigningRequest
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 167), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 168), // status
    // 165 certificates/v1.CertificateSigningRequestCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(3, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(4, 6436, 14, K::Time, S::One, REQUIRED, 0), // lastUpdateTime
    f(5, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(6, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    // 166 certificates/v1.CertificateSigningRequestList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 164), // items
    // 167 certificates/v1.CertificateSigningRequestSpec
    f(1, 3695, 7, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // request
    f(2, 10190, 8, K::String, S::One, SKIP_ZERO, 0), // username
    f(3, 11107, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    f(4, 10704, 6, K::String, S::Repeated, NULLABLE, 0), // groups
    f(5, 10872, 6, K::String, S::Repeated, NULLABLE, 0), // usages
    f(6, 10915, 5, K::Items, S::Map, NULLABLE, 92), // extra
    f(7, 9039, 10, K::String, S::One, REQUIRED, 0), // signerName
    f(8, 4097, 17, K::Int, S::One, NULLABLE, 0), // expirationSeconds
    // 168 certificates/v1.CertificateSigningRequestStatus
    f(1, 7232, 10, K::Message, S::Repeated, NULLABLE, 165), // conditions
    f(2, 2504, 11, K::Bytes, S::One, SKIP_ZERO | NULLABLE, 0), // certificate
    // 169 certificates/v1.ClusterTrustBundle
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 171), // spec
    // 170 certificates/v1.ClusterTrustBundleList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 169), // items
    // 171 certificates/v1.ClusterTrustBundleSpec
    f(1, 9039, 10, K::String, S::One, SKIP_ZERO, 0), // signerName
    f(2, 8594, 11, K::String, S::One, REQUIRED, 0), // trustBundle
    // 172 certificates/v1.PodCertificateRequest
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 174), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 175), // status
    // 173 certificates/v1.PodCertificateRequestList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 172), // items
    // 174 certificates/v1.PodCertificateRequestSpec
    f(1, 9039, 10, K::String, S::One, REQUIRED, 0), // signerName
    f(2, 10475, 7, K::String, S::One, REQUIRED, 0), // podName
    f(3, 10788, 6, K::String, S::One, REQUIRED, 0), // podUID
    f(4, 3767, 18, K::String, S::One, REQUIRED, 0), // serviceAccountName
    f(5, 4488, 17, K::String, S::One, REQUIRED, 0), // serviceAccountUID
    f(6, 9974, 8, K::String, S::One, REQUIRED, 0), // nodeName
    f(7, 10447, 7, K::String, S::One, REQUIRED, 0), // nodeUID
    f(8, 2664, 20, K::Int, S::One, NULLABLE, 0), // maxExpirationSeconds
    f(11, 1162, 25, K::String, S::Map, NULLABLE, 0), // unverifiedUserAnnotations
    f(12, 4539, 17, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // stubPKCS10Request
    // 175 certificates/v1.PodCertificateRequestStatus
    f(1, 7232, 10, K::Message, S::Repeated, NULLABLE, 713), // conditions
    f(2, 2504, 16, K::String, S::One, SKIP_ZERO, 0), // certificateChain
    f(4, 9430, 9, K::Time, S::One, NULLABLE, 0), // notBefore
    f(5, 6156, 14, K::Time, S::One, NULLABLE, 0), // beginRefreshAt
    f(6, 9990, 8, K::Time, S::One, NULLABLE, 0), // notAfter
    // 176 certificates/v1beta1.CertificateSigningRequest
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 178), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 168), // status
    // 177 certificates/v1beta1.CertificateSigningRequestList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 176), // items
    // 178 certificates/v1beta1.CertificateSigningRequestSpec
    f(1, 3695, 7, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // request
    f(2, 10190, 8, K::String, S::One, SKIP_ZERO, 0), // username
    f(3, 11107, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    f(4, 10704, 6, K::String, S::Repeated, NULLABLE, 0), // groups
    f(5, 10872, 6, K::String, S::Repeated, NULLABLE, 0), // usages
    f(6, 10915, 5, K::Items, S::Map, NULLABLE, 92), // extra
    f(7, 9039, 10, K::String, S::One, NULLABLE, 0), // signerName
    f(8, 4097, 17, K::Int, S::One, NULLABLE, 0), // expirationSeconds
    // 179 certificates/v1beta1.PodCertificateRequest
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 181), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 175), // status
    // 180 certificates/v1beta1.PodCertificateRequestList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 179), // items
    // 181 certificates/v1beta1.PodCertificateRequestSpec
    f(1, 9039, 10, K::String, S::One, REQUIRED, 0), // signerName
    f(2, 10475, 7, K::String, S::One, REQUIRED, 0), // podName
    f(3, 10788, 6, K::String, S::One, REQUIRED, 0), // podUID
    f(4, 3767, 18, K::String, S::One, REQUIRED, 0), // serviceAccountName
    f(5, 4488, 17, K::String, S::One, REQUIRED, 0), // serviceAccountUID
    f(6, 9974, 8, K::String, S::One, REQUIRED, 0), // nodeName
    f(7, 10447, 7, K::String, S::One, REQUIRED, 0), // nodeUID
    f(8, 2664, 20, K::Int, S::One, NULLABLE, 0), // maxExpirationSeconds
    f(9, 7216, 13, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // pkixPublicKey
    f(10, 4369, 17, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // proofOfPossession
    f(11, 1162, 25, K::String, S::Map, NULLABLE, 0), // unverifiedUserAnnotations
    f(12, 4539, 17, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // stubPKCS10Request
    // 182 coordination/v1.Lease
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 184), // spec
    // 183 coordination/v1.LeaseList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 182), // items
    // 184 coordination/v1.LeaseSpec
    f(1, 6352, 14, K::String, S::One, NULLABLE, 0), // holderIdentity
    f(2, 2644, 20, K::Int, S::One, NULLABLE, 0), // leaseDurationSeconds
    f(3, 8000, 11, K::MicroTime, S::One, NULLABLE, 0), // acquireTime
    f(4, 9520, 9, K::MicroTime, S::One, NULLABLE, 0), // renewTime
    f(5, 4992, 16, K::Int, S::One, NULLABLE, 0), // leaseTransitions
    f(6, 10158, 8, K::String, S::One, NULLABLE, 0), // strategy
    f(7, 5858, 15, K::String, S::One, NULLABLE, 0), // preferredHolder
    // 185 coordination/v1alpha2.LeaseCandidate
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 187), // spec
    // 186 coordination/v1alpha2.LeaseCandidateList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 185), // items
    // 187 coordination/v1alpha2.LeaseCandidateSpec
    f(1, 9358, 9, K::String, S::One, REQUIRED, 0), // leaseName
    f(2, 10046, 8, K::MicroTime, S::One, NULLABLE, 0), // pingTime
    f(3, 9520, 9, K::MicroTime, S::One, NULLABLE, 0), // renewTime
    f(4, 6839, 13, K::String, S::One, REQUIRED, 0), // binaryVersion
    f(5, 4784, 16, K::String, S::One, SKIP_ZERO, 0), // emulationVersion
    f(6, 10158, 8, K::String, S::One, SKIP_ZERO, 0), // strategy
    // 188 core/v1.AWSElasticBlockStoreVolumeSource
    f(1, 10206, 8, K::String, S::One, REQUIRED, 0), // volumeID
    f(2, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 1935, 9, K::Int, S::One, SKIP_ZERO, 0), // partition
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 189 core/v1.Affinity
    f(1, 3569, 12, K::Message, S::One, NULLABLE, 290), // nodeAffinity
    f(2, 5828, 11, K::Message, S::One, NULLABLE, 326), // podAffinity
    f(3, 5843, 15, K::Message, S::One, NULLABLE, 326), // podAntiAffinity
    // 190 core/v1.AppArmorProfile
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 5008, 16, K::String, S::One, NULLABLE, 0), // localhostProfile
    // 191 core/v1.AttachedVolume
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 8719, 10, K::String, S::One, REQUIRED, 0), // devicePath
    // 192 core/v1.AzureDiskVolumeSource
    f(1, 9814, 8, K::String, S::One, REQUIRED, 0), // diskName
    f(2, 10265, 7, K::String, S::One, REQUIRED, 0), // diskURI
    f(3, 8110, 11, K::String, S::One, NULLABLE, 0), // cachingMode
    f(4, 10698, 6, K::String, S::One, NULLABLE, 0), // fsType
    f(5, 1979, 8, K::Bool, S::One, NULLABLE, 0), // readOnly
    f(6, 11051, 4, K::String, S::One, NULLABLE, 0), // kind
    // 193 core/v1.AzureFilePersistentVolumeSource
    f(1, 5948, 10, K::String, S::One, REQUIRED, 0), // secretName
    f(2, 9574, 9, K::String, S::One, REQUIRED, 0), // shareName
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 5948, 15, K::String, S::One, REQUIRED | NULLABLE, 0), // secretNamespace
    // 194 core/v1.AzureFileVolumeSource
    f(1, 5948, 10, K::String, S::One, REQUIRED, 0), // secretName
    f(2, 9574, 9, K::String, S::One, REQUIRED, 0), // shareName
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 195 core/v1.Binding
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 377, 6, K::Message, S::One, REQUIRED, 312), // target
    // 196 core/v1.CSIPersistentVolumeSource
    f(1, 8729, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 7906, 12, K::String, S::One, REQUIRED, 0), // volumeHandle
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(5, 1187, 16, K::String, S::Map, NULLABLE, 0), // volumeAttributes
    f(6, 777, 26, K::Message, S::One, NULLABLE, 381), // controllerPublishSecretRef
    f(7, 3587, 18, K::Message, S::One, NULLABLE, 381), // nodeStageSecretRef
    f(8, 2704, 20, K::Message, S::One, NULLABLE, 381), // nodePublishSecretRef
    f(9, 1062, 25, K::Message, S::One, NULLABLE, 381), // controllerExpandSecretRef
    f(10, 3055, 19, K::Message, S::One, NULLABLE, 381), // nodeExpandSecretRef
    // 197 core/v1.CSIVolumeSource
    f(1, 8729, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 1979, 8, K::Bool, S::One, NULLABLE, 0), // readOnly
    f(3, 10698, 6, K::String, S::One, NULLABLE, 0), // fsType
    f(4, 1187, 16, K::String, S::Map, NULLABLE, 0), // volumeAttributes
    f(5, 2704, 20, K::Message, S::One, NULLABLE, 279), // nodePublishSecretRef
    // 198 core/v1.Capabilities
    f(1, 1212, 3, K::String, S::Repeated, NULLABLE, 0), // add
    f(2, 11027, 4, K::String, S::Repeated, NULLABLE, 0), // drop
    // 199 core/v1.CephFSPersistentVolumeSource
    f(1, 9958, 8, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // monitors
    f(2, 10038, 4, K::String, S::One, SKIP_ZERO, 0), // path
    f(3, 6038, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(4, 9019, 10, K::String, S::One, SKIP_ZERO, 0), // secretFile
    f(5, 9547, 9, K::Message, S::One, NULLABLE, 381), // secretRef
    f(6, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 200 core/v1.CephFSVolumeSource
    f(1, 9958, 8, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // monitors
    f(2, 10038, 4, K::String, S::One, SKIP_ZERO, 0), // path
    f(3, 6038, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(4, 9019, 10, K::String, S::One, SKIP_ZERO, 0), // secretFile
    f(5, 9547, 9, K::Message, S::One, NULLABLE, 279), // secretRef
    f(6, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 201 core/v1.CinderPersistentVolumeSource
    f(1, 10206, 8, K::String, S::One, REQUIRED, 0), // volumeID
    f(2, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 9547, 9, K::Message, S::One, NULLABLE, 381), // secretRef
    // 202 core/v1.CinderVolumeSource
    f(1, 10206, 8, K::String, S::One, REQUIRED, 0), // volumeID
    f(2, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 9547, 9, K::Message, S::One, NULLABLE, 279), // secretRef
    // 203 core/v1.ClientIPConfig
    f(1, 6730, 14, K::Int, S::One, NULLABLE, 0), // timeoutSeconds
    // 204 core/v1.ClusterTrustBundleProjection
    f(1, 4233, 4, K::String, S::One, NULLABLE, 0), // name
    f(2, 9039, 10, K::String, S::One, NULLABLE, 0), // signerName
    f(3, 4131, 13, K::Message, S::One, NULLABLE, 721), // labelSelector
    f(4, 10038, 4, K::String, S::One, REQUIRED, 0), // path
    f(5, 5798, 8, K::Bool, S::One, NULLABLE, 0), // optional
    f(6, 6038, 4, K::Int, S::One, NULLABLE, 0), // user
    // 205 core/v1.ComponentCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(4, 9259, 5, K::String, S::One, SKIP_ZERO, 0), // error
    // 206 core/v1.ComponentStatus
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 7232, 10, K::Message, S::Repeated, NULLABLE, 205), // conditions
    // 207 core/v1.ComponentStatusList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 206), // items
    // 208 core/v1.ConfigMap
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 3277, 4, K::String, S::Map, NULLABLE, 0), // data
    f(3, 8659, 10, K::Bytes, S::Map, NULLABLE, 0), // binaryData
    f(4, 9331, 9, K::Bool, S::One, NULLABLE, 0), // immutable
    // 209 core/v1.ConfigMapEnvSource
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 279), // 
    f(2, 5798, 8, K::Bool, S::One, NULLABLE, 0), // optional
    // 210 core/v1.ConfigMapKeySelector
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 279), // 
    f(2, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(3, 5798, 8, K::Bool, S::One, NULLABLE, 0), // optional
    // 211 core/v1.ConfigMapList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 208), // items
    // 212 core/v1.ConfigMapNodeConfigSource
    f(1, 4233, 9, K::String, S::One, REQUIRED, 0), // namespace
    f(2, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(3, 11107, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    f(4, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    f(5, 4944, 16, K::String, S::One, REQUIRED, 0), // kubeletConfigKey
    // 213 core/v1.ConfigMapProjection
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 279), // 
    f(2, 10935, 5, K::Message, S::Repeated, NULLABLE, 268), // items
    f(4, 5798, 8, K::Bool, S::One, NULLABLE, 0), // optional
    // 214 core/v1.ConfigMapVolumeSource
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 279), // 
    f(2, 10935, 5, K::Message, S::Repeated, NULLABLE, 268), // items
    f(3, 8187, 11, K::Int, S::One, NULLABLE, 0), // defaultMode
    f(4, 5798, 8, K::Bool, S::One, NULLABLE, 0), // optional
    f(5, 8198, 11, K::Int, S::One, NULLABLE, 0), // defaultUser
    // 215 core/v1.Container
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 4880, 5, K::String, S::One, SKIP_ZERO, 0), // image
    f(3, 10244, 7, K::String, S::Repeated, NULLABLE, 0), // command
    f(4, 11019, 4, K::String, S::Repeated, NULLABLE, 0), // args
    f(5, 9159, 10, K::String, S::One, SKIP_ZERO, 0), // workingDir
    f(6, 10970, 5, K::Message, S::Repeated, NULLABLE, 218), // ports
    f(7, 10293, 3, K::Message, S::Repeated, NULLABLE, 239), // env
    f(8, 7837, 9, K::Message, S::One, REQUIRED, 372), // resources
    f(9, 7930, 12, K::Message, S::Repeated, NULLABLE, 408), // volumeMounts
    f(10, 7138, 13, K::Message, S::One, NULLABLE, 354), // livenessProbe
    f(11, 6590, 14, K::Message, S::One, NULLABLE, 354), // readinessProbe
    f(12, 9367, 9, K::Message, S::One, NULLABLE, 269), // lifecycle
    f(13, 2023, 22, K::String, S::One, SKIP_ZERO, 0), // terminationMessagePath
    f(14, 5648, 15, K::String, S::One, SKIP_ZERO, 0), // imagePullPolicy
    f(15, 5963, 15, K::Message, S::One, NULLABLE, 383), // securityContext
    f(16, 9628, 5, K::Bool, S::One, SKIP_ZERO, 0), // stdin
    f(17, 9628, 9, K::Bool, S::One, SKIP_ZERO, 0), // stdinOnce
    f(18, 11104, 3, K::Bool, S::One, SKIP_ZERO, 0), // tty
    f(19, 10293, 7, K::Message, S::Repeated, NULLABLE, 238), // envFrom
    f(20, 1524, 24, K::String, S::One, SKIP_ZERO, 0), // terminationMessagePolicy
    f(21, 7424, 13, K::Message, S::Repeated, NULLABLE, 191), // volumeDevices
    f(22, 7822, 12, K::Message, S::One, NULLABLE, 354), // startupProbe
    f(23, 7714, 12, K::Message, S::Repeated, NULLABLE, 219), // resizePolicy
    f(24, 3749, 13, K::String, S::One, NULLABLE, 0), // restartPolicy
    f(25, 3749, 18, K::Message, S::Repeated, NULLABLE, 220), // restartPolicyRules
    // 216 core/v1.ContainerExtendedResourceRequest
    f(1, 6865, 13, K::String, S::One, REQUIRED, 0), // containerName
    f(2, 7281, 12, K::String, S::One, REQUIRED, 0), // resourceName
    f(3, 8484, 11, K::String, S::One, REQUIRED, 0), // requestName
    // 217 core/v1.ContainerImage
    f(1, 4233, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // names
    f(2, 9592, 9, K::Int, S::One, SKIP_ZERO, 0), // sizeBytes
    // 218 core/v1.ContainerPort
    f(1, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 9886, 8, K::Int, S::One, SKIP_ZERO, 0), // hostPort
    f(3, 6878, 13, K::Int, S::One, REQUIRED, 0), // containerPort
    f(4, 10094, 8, K::String, S::One, SKIP_ZERO, 0), // protocol
    f(5, 10342, 6, K::String, S::One, SKIP_ZERO, 0), // hostIP
    // 219 core/v1.ContainerResizePolicy
    f(1, 7281, 12, K::String, S::One, REQUIRED, 0), // resourceName
    f(2, 3749, 13, K::String, S::One, REQUIRED, 0), // restartPolicy
    // 220 core/v1.ContainerRestartRule
    f(1, 10614, 6, K::String, S::One, SKIP_ZERO, 0), // action
    f(2, 9277, 9, K::Message, S::One, NULLABLE, 221), // exitCodes
    // 221 core/v1.ContainerRestartRuleOnExitCodes
    f(1, 10006, 8, K::String, S::One, SKIP_ZERO, 0), // operator
    f(2, 10878, 6, K::Int, S::Repeated, NULLABLE, 0), // values
    // 222 core/v1.ContainerState
    f(1, 10601, 7, K::Message, S::One, NULLABLE, 225), // waiting
    f(2, 2001, 7, K::Message, S::One, NULLABLE, 223), // running
    f(3, 9099, 10, K::Message, S::One, NULLABLE, 224), // terminated
    // 223 core/v1.ContainerStateRunning
    f(1, 9619, 9, K::Time, S::One, REQUIRED, 0), // startedAt
    // 224 core/v1.ContainerStateTerminated
    f(1, 9277, 8, K::Int, S::One, REQUIRED, 0), // exitCode
    f(2, 10830, 6, K::Int, S::One, SKIP_ZERO, 0), // signal
    f(3, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(4, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(5, 9619, 9, K::Time, S::One, REQUIRED, 0), // startedAt
    f(6, 8779, 10, K::Time, S::One, REQUIRED, 0), // finishedAt
    f(7, 8154, 11, K::String, S::One, SKIP_ZERO, 0), // containerID
    // 225 core/v1.ContainerStateWaiting
    f(1, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(2, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 226 core/v1.ContainerStatus
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10990, 5, K::Message, S::One, REQUIRED, 222), // state
    f(3, 9349, 9, K::Message, S::One, REQUIRED, 222), // lastState
    f(4, 7242, 5, K::Bool, S::One, REQUIRED, 0), // ready
    f(5, 7738, 12, K::Int, S::One, REQUIRED, 0), // restartCount
    f(6, 4880, 5, K::String, S::One, REQUIRED, 0), // image
    f(7, 10370, 7, K::String, S::One, REQUIRED, 0), // imageID
    f(8, 8154, 11, K::String, S::One, SKIP_ZERO, 0), // containerID
    f(9, 9619, 7, K::Bool, S::One, NULLABLE, 0), // started
    f(10, 1236, 18, K::Quantity, S::Map, NULLABLE, 0), // allocatedResources
    f(11, 7837, 9, K::Message, S::One, NULLABLE, 372), // resources
    f(12, 7930, 12, K::Message, S::Repeated, NULLABLE, 409), // volumeMounts
    f(13, 6038, 4, K::Message, S::One, NULLABLE, 227), // user
    f(14, 1236, 24, K::Message, S::Repeated, NULLABLE, 373), // allocatedResourcesStatus
    f(15, 9059, 10, K::String, S::One, NULLABLE, 0), // stopSignal
    // 227 core/v1.ContainerUser
    f(1, 10945, 5, K::Message, S::One, NULLABLE, 275), // linux
    // 228 core/v1.DaemonEndpoint
    f(1, 492, 4, K::Int, S::One, REQUIRED, 0), // Port
    // 229 core/v1.DownwardAPIProjection
    f(1, 10935, 5, K::Message, S::Repeated, NULLABLE, 230), // items
    // 230 core/v1.DownwardAPIVolumeFile
    f(1, 10038, 4, K::String, S::One, REQUIRED, 0), // path
    f(2, 9838, 8, K::Message, S::One, NULLABLE, 311), // fieldRef
    f(3, 5232, 16, K::Message, S::One, NULLABLE, 366), // resourceFieldRef
    f(4, 11055, 4, K::Int, S::One, NULLABLE, 0), // mode
    f(5, 6038, 4, K::Int, S::One, NULLABLE, 0), // user
    // 231 core/v1.DownwardAPIVolumeSource
    f(1, 10935, 5, K::Message, S::Repeated, NULLABLE, 230), // items
    f(2, 8187, 11, K::Int, S::One, NULLABLE, 0), // defaultMode
    f(3, 8198, 11, K::Int, S::One, NULLABLE, 0), // defaultUser
    // 232 core/v1.EmptyDirVolumeSource
    f(1, 10740, 6, K::String, S::One, SKIP_ZERO, 0), // medium
    f(2, 9601, 9, K::Quantity, S::One, NULLABLE, 0), // sizeLimit
    f(3, 11055, 4, K::Int, S::One, NULLABLE, 0), // mode
    // 233 core/v1.EndpointAddress
    f(1, 651, 2, K::String, S::One, REQUIRED, 0), // ip
    f(2, 9664, 9, K::Message, S::One, NULLABLE, 312), // targetRef
    f(3, 4864, 8, K::String, S::One, SKIP_ZERO, 0), // hostname
    f(4, 9974, 8, K::String, S::One, NULLABLE, 0), // nodeName
    // 234 core/v1.EndpointPort
    f(1, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 3133, 4, K::Int, S::One, REQUIRED, 0), // port
    f(3, 10094, 8, K::String, S::One, SKIP_ZERO, 0), // protocol
    f(4, 8077, 11, K::String, S::One, NULLABLE, 0), // appProtocol
    // 235 core/v1.EndpointSubset
    f(1, 9169, 9, K::Message, S::Repeated, NULLABLE, 233), // addresses
    f(2, 4284, 17, K::Message, S::Repeated, NULLABLE, 233), // notReadyAddresses
    f(3, 10970, 5, K::Message, S::Repeated, NULLABLE, 234), // ports
    // 236 core/v1.Endpoints
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10580, 7, K::Message, S::Repeated, NULLABLE, 235), // subsets
    // 237 core/v1.EndpointsList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 236), // items
    // 238 core/v1.EnvFromSource
    f(1, 10794, 6, K::String, S::One, SKIP_ZERO, 0), // prefix
    f(2, 7522, 12, K::Message, S::One, NULLABLE, 209), // configMapRef
    f(3, 9547, 9, K::Message, S::One, NULLABLE, 209), // secretRef
    // 239 core/v1.EnvVar
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 6068, 5, K::String, S::One, SKIP_ZERO, 0), // value
    f(3, 9700, 9, K::Message, S::One, NULLABLE, 240), // valueFrom
    // 240 core/v1.EnvVarSource
    f(1, 9838, 8, K::Message, S::One, NULLABLE, 311), // fieldRef
    f(2, 5232, 16, K::Message, S::One, NULLABLE, 366), // resourceFieldRef
    f(3, 5468, 15, K::Message, S::One, NULLABLE, 210), // configMapKeyRef
    f(4, 7774, 12, K::Message, S::One, NULLABLE, 210), // secretKeyRef
    f(5, 8759, 10, K::Message, S::One, NULLABLE, 250), // fileKeyRef
    // 241 core/v1.EphemeralContainer
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 215), // 
    f(2, 3169, 19, K::String, S::One, SKIP_ZERO, 0), // targetContainerName
    // 242 core/v1.EphemeralVolumeSource
    f(1, 2844, 19, K::Message, S::One, NULLABLE, 318), // volumeClaimTemplate
    // 243 core/v1.Event
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 6380, 14, K::Message, S::One, REQUIRED, 312), // involvedObject
    f(3, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(4, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(5, 158, 6, K::Message, S::One, REQUIRED, 246), // source
    f(6, 6338, 14, K::Time, S::One, REQUIRED, 0), // firstTimestamp
    f(7, 7112, 13, K::Time, S::One, REQUIRED, 0), // lastTimestamp
    f(8, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(9, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(10, 9268, 9, K::MicroTime, S::One, REQUIRED, 0), // eventTime
    f(11, 10824, 6, K::Message, S::One, NULLABLE, 245), // series
    f(12, 10614, 6, K::String, S::One, SKIP_ZERO, 0), // action
    f(13, 10510, 7, K::Message, S::One, NULLABLE, 312), // related
    f(14, 3677, 18, K::String, S::One, REQUIRED, 0), // reportingComponent
    f(15, 4403, 17, K::String, S::One, REQUIRED, 0), // reportingInstance
    // 244 core/v1.EventList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 243), // items
    // 245 core/v1.EventSeries
    f(1, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(2, 4960, 16, K::MicroTime, S::One, REQUIRED, 0), // lastObservedTime
    // 246 core/v1.EventSource
    f(1, 9223, 9, K::String, S::One, SKIP_ZERO, 0), // component
    f(2, 4864, 4, K::String, S::One, SKIP_ZERO, 0), // host
    // 247 core/v1.EvictionResponder
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 855, 8, K::Int, S::One, REQUIRED | NULLABLE, 0), // priority
    // 248 core/v1.ExecAction
    f(1, 10244, 7, K::String, S::Repeated, NULLABLE, 0), // command
    // 249 core/v1.FCVolumeSource
    f(1, 9089, 10, K::String, S::Repeated, NULLABLE, 0), // targetWWNs
    f(2, 11095, 3, K::Int, S::One, NULLABLE, 0), // lun
    f(3, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(5, 11010, 5, K::String, S::Repeated, NULLABLE, 0), // wwids
    // 250 core/v1.FileKeySelector
    f(1, 6098, 10, K::String, S::One, REQUIRED, 0), // volumeName
    f(2, 10038, 4, K::String, S::One, REQUIRED, 0), // path
    f(3, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(4, 5798, 8, K::Bool, S::One, NULLABLE, 0), // optional
    // 251 core/v1.FlexPersistentVolumeSource
    f(1, 8729, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 9547, 9, K::Message, S::One, NULLABLE, 381), // secretRef
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(5, 10461, 7, K::String, S::Map, NULLABLE, 0), // options
    // 252 core/v1.FlexVolumeSource
    f(1, 8729, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 9547, 9, K::Message, S::One, NULLABLE, 279), // secretRef
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(5, 10461, 7, K::String, S::Map, NULLABLE, 0), // options
    // 253 core/v1.FlockerVolumeSource
    f(1, 8165, 11, K::String, S::One, SKIP_ZERO, 0), // datasetName
    f(2, 8176, 11, K::String, S::One, SKIP_ZERO, 0), // datasetUUID
    // 254 core/v1.GCEPersistentDiskVolumeSource
    f(1, 10764, 6, K::String, S::One, REQUIRED, 0), // pdName
    f(2, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 1935, 9, K::Int, S::One, SKIP_ZERO, 0), // partition
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 255 core/v1.GRPCAction
    f(1, 3133, 4, K::Int, S::One, REQUIRED, 0), // port
    f(2, 669, 7, K::String, S::One, REQUIRED | NULLABLE, 0), // service
    f(3, 11055, 4, K::String, S::One, NULLABLE, 0), // mode
    // 256 core/v1.GitRepoVolumeSource
    f(1, 8959, 10, K::String, S::One, REQUIRED, 0), // repository
    f(2, 2824, 8, K::String, S::One, SKIP_ZERO, 0), // revision
    f(3, 9232, 9, K::String, S::One, SKIP_ZERO, 0), // directory
    // 257 core/v1.GlusterfsPersistentVolumeSource
    f(1, 3425, 9, K::String, S::One, REQUIRED, 0), // endpoints
    f(2, 10038, 4, K::String, S::One, REQUIRED, 0), // path
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 3425, 18, K::String, S::One, NULLABLE, 0), // endpointsNamespace
    // 258 core/v1.GlusterfsVolumeSource
    f(1, 3425, 9, K::String, S::One, REQUIRED, 0), // endpoints
    f(2, 10038, 4, K::String, S::One, REQUIRED, 0), // path
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 259 core/v1.HTTPGetAction
    f(1, 10038, 4, K::String, S::One, SKIP_ZERO, 0), // path
    f(2, 3133, 4, K::IntOrString, S::One, REQUIRED, 0), // port
    f(3, 4864, 4, K::String, S::One, SKIP_ZERO, 0), // host
    f(4, 10812, 6, K::String, S::One, SKIP_ZERO, 0), // scheme
    f(5, 8297, 11, K::Message, S::Repeated, NULLABLE, 260), // httpHeaders
    f(6, 10094, 8, K::String, S::One, NULLABLE, 0), // protocol
    // 260 core/v1.HTTPHeader
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 6068, 5, K::String, S::One, REQUIRED, 0), // value
    // 261 core/v1.HostAlias
    f(1, 651, 2, K::String, S::One, REQUIRED, 0), // ip
    f(2, 9322, 9, K::String, S::Repeated, NULLABLE, 0), // hostnames
    // 262 core/v1.HostIP
    f(1, 651, 2, K::String, S::One, REQUIRED, 0), // ip
    // 263 core/v1.HostPathVolumeSource
    f(1, 10038, 4, K::String, S::One, REQUIRED, 0), // path
    f(2, 2085, 4, K::String, S::One, NULLABLE, 0), // type
    // 264 core/v1.ISCSIPersistentVolumeSource
    f(1, 7846, 12, K::String, S::One, REQUIRED, 0), // targetPortal
    f(2, 11092, 3, K::String, S::One, REQUIRED, 0), // iqn
    f(3, 11095, 3, K::Int, S::One, REQUIRED, 0), // lun
    f(4, 6408, 14, K::String, S::One, SKIP_ZERO, 0), // iscsiInterface
    f(5, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(6, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(7, 10482, 7, K::String, S::Repeated, NULLABLE, 0), // portals
    f(8, 3927, 17, K::Bool, S::One, SKIP_ZERO, 0), // chapAuthDiscovery
    f(10, 9547, 9, K::Message, S::One, NULLABLE, 381), // secretRef
    f(11, 5453, 15, K::Bool, S::One, SKIP_ZERO, 0), // chapAuthSession
    f(12, 7034, 13, K::String, S::One, NULLABLE, 0), // initiatorName
    // 265 core/v1.ISCSIVolumeSource
    f(1, 7846, 12, K::String, S::One, REQUIRED, 0), // targetPortal
    f(2, 11092, 3, K::String, S::One, REQUIRED, 0), // iqn
    f(3, 11095, 3, K::Int, S::One, REQUIRED, 0), // lun
    f(4, 6408, 14, K::String, S::One, SKIP_ZERO, 0), // iscsiInterface
    f(5, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(6, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(7, 10482, 7, K::String, S::Repeated, NULLABLE, 0), // portals
    f(8, 3927, 17, K::Bool, S::One, SKIP_ZERO, 0), // chapAuthDiscovery
    f(10, 9547, 9, K::Message, S::One, NULLABLE, 279), // secretRef
    f(11, 5453, 15, K::Bool, S::One, SKIP_ZERO, 0), // chapAuthSession
    f(12, 7034, 13, K::String, S::One, NULLABLE, 0), // initiatorName
    // 266 core/v1.ImageVolumeSource
    f(1, 8910, 9, K::String, S::One, SKIP_ZERO, 0), // reference
    f(2, 8949, 10, K::String, S::One, SKIP_ZERO, 0), // pullPolicy
    // 267 core/v1.ImageVolumeStatus
    f(1, 9894, 8, K::String, S::One, SKIP_ZERO, 0), // imageRef
    // 268 core/v1.KeyToPath
    f(1, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(2, 10038, 4, K::String, S::One, REQUIRED, 0), // path
    f(3, 11055, 4, K::Int, S::One, NULLABLE, 0), // mode
    f(4, 6038, 4, K::Int, S::One, NULLABLE, 0), // user
    // 269 core/v1.Lifecycle
    f(1, 9484, 9, K::Message, S::One, NULLABLE, 270), // postStart
    f(2, 10489, 7, K::Message, S::One, NULLABLE, 270), // preStop
    f(3, 9059, 10, K::String, S::One, NULLABLE, 0), // stopSignal
    // 270 core/v1.LifecycleHandler
    f(1, 11035, 4, K::Message, S::One, NULLABLE, 248), // exec
    f(2, 10363, 7, K::Message, S::One, NULLABLE, 259), // httpGet
    f(3, 9673, 9, K::Message, S::One, NULLABLE, 397), // tcpSocket
    f(4, 10985, 5, K::Message, S::One, NULLABLE, 394), // sleep
    // 271 core/v1.LimitRange
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 274), // spec
    // 272 core/v1.LimitRangeItem
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 2664, 3, K::Quantity, S::Map, NULLABLE, 0), // max
    f(3, 587, 3, K::Quantity, S::Map, NULLABLE, 0), // min
    f(4, 497, 7, K::Quantity, S::Map, NULLABLE, 0), // default
    f(5, 6268, 14, K::Quantity, S::Map, NULLABLE, 0), // defaultRequest
    f(6, 2684, 20, K::Quantity, S::Map, NULLABLE, 0), // maxLimitRequestRatio
    // 273 core/v1.LimitRangeList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 271), // items
    // 274 core/v1.LimitRangeSpec
    f(1, 10734, 6, K::Message, S::Repeated, REQUIRED | NULLABLE, 272), // limits
    // 275 core/v1.LinuxContainerUser
    f(1, 11107, 3, K::Int, S::One, REQUIRED, 0), // uid
    f(2, 11086, 3, K::Int, S::One, REQUIRED, 0), // gid
    f(3, 1500, 18, K::Int, S::Repeated, NULLABLE, 0), // supplementalGroups
    // 276 core/v1.List
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Raw, S::Repeated, REQUIRED | NULLABLE, 0), // items
    // 277 core/v1.LoadBalancerIngress
    f(1, 651, 2, K::String, S::One, SKIP_ZERO, 0), // ip
    f(2, 4864, 8, K::String, S::One, SKIP_ZERO, 0), // hostname
    f(3, 10722, 6, K::String, S::One, NULLABLE, 0), // ipMode
    f(4, 10970, 5, K::Message, S::Repeated, NULLABLE, 351), // ports
    // 278 core/v1.LoadBalancerStatus
    f(1, 4896, 7, K::Message, S::Repeated, NULLABLE, 277), // ingress
    // 279 core/v1.LocalObjectReference
    f(1, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    // 280 core/v1.LocalVolumeSource
    f(1, 10038, 4, K::String, S::One, REQUIRED, 0), // path
    f(2, 10698, 6, K::String, S::One, NULLABLE, 0), // fsType
    // 281 core/v1.ModifyVolumeStatus
    f(1, 377, 31, K::String, S::One, SKIP_ZERO, 0), // targetVolumeAttributesClassName
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    // 282 core/v1.NFSVolumeSource
    f(1, 881, 6, K::String, S::One, REQUIRED, 0), // server
    f(2, 10038, 4, K::String, S::One, REQUIRED, 0), // path
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 283 core/v1.Namespace
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 286), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 287), // status
    // 284 core/v1.NamespaceCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(4, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(5, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(6, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 285 core/v1.NamespaceList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 283), // items
    // 286 core/v1.NamespaceSpec
    f(1, 8769, 10, K::String, S::Repeated, NULLABLE, 0), // finalizers
    // 287 core/v1.NamespaceStatus
    f(1, 10960, 5, K::String, S::One, SKIP_ZERO, 0), // phase
    f(2, 7232, 10, K::Message, S::Repeated, NULLABLE, 284), // conditions
    // 288 core/v1.Node
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 307), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 308), // status
    // 289 core/v1.NodeAddress
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 8011, 7, K::String, S::One, REQUIRED, 0), // address
    // 290 core/v1.NodeAffinity
    f(1, 95, 46, K::Message, S::One, NULLABLE, 304), // requiredDuringSchedulingIgnoredDuringExecution
    f(2, 48, 47, K::Message, S::Repeated, NULLABLE, 353), // preferredDuringSchedulingIgnoredDuringExecution
    // 291 core/v1.NodeAllocatableMappedResources
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10110, 8, K::Quantity, S::One, REQUIRED | NULLABLE, 0), // quantity
    // 292 core/v1.NodeAllocatableOverheadResources
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10770, 6, K::Quantity, S::One, NULLABLE, 0), // perPod
    f(3, 7678, 12, K::Quantity, S::One, NULLABLE, 0), // perContainer
    // 293 core/v1.NodeAllocatableResourceClaimStatus
    f(1, 4437, 17, K::String, S::One, REQUIRED, 0), // resourceClaimName
    f(2, 8699, 10, K::String, S::Repeated, NULLABLE, 0), // containers
    f(3, 7837, 9, K::Quantity, S::Map, NULLABLE, 0), // resources
    f(4, 10419, 7, K::Message, S::Repeated, NULLABLE, 291), // mapping
    f(5, 10022, 8, K::Message, S::Repeated, NULLABLE, 292), // overhead
    // 294 core/v1.NodeCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 4148, 17, K::Time, S::One, REQUIRED, 0), // lastHeartbeatTime
    f(4, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(5, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(6, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 295 core/v1.NodeConfigSource
    f(2, 5468, 9, K::Message, S::One, NULLABLE, 212), // configMap
    // 296 core/v1.NodeConfigStatus
    f(1, 9742, 8, K::Message, S::One, NULLABLE, 295), // assigned
    f(2, 2089, 6, K::Message, S::One, NULLABLE, 295), // active
    f(3, 7073, 13, K::Message, S::One, NULLABLE, 295), // lastKnownGood
    f(4, 9259, 5, K::String, S::One, SKIP_ZERO, 0), // error
    // 297 core/v1.NodeDaemonEndpoints
    f(1, 5663, 15, K::Message, S::One, REQUIRED, 228), // kubeletEndpoint
    // 298 core/v1.NodeFeatures
    f(1, 1500, 24, K::Bool, S::One, NULLABLE, 0), // supplementalGroupsPolicy
    // 299 core/v1.NodeList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 288), // items
    // 300 core/v1.NodePodPreemptionPolicy
    f(1, 1641, 23, K::String, S::Repeated, NULLABLE, 0), // disableResizePreemption
    // 301 core/v1.NodeProxyOptions
    f(1, 10038, 4, K::String, S::One, SKIP_ZERO, 0), // path
    // 302 core/v1.NodeRuntimeHandler
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 9830, 8, K::Message, S::One, NULLABLE, 303), // features
    // 303 core/v1.NodeRuntimeHandlerFeatures
    f(1, 1733, 23, K::Bool, S::One, NULLABLE, 0), // recursiveReadOnlyMounts
    f(2, 6772, 14, K::Bool, S::One, NULLABLE, 0), // userNamespaces
    // 304 core/v1.NodeSelector
    f(1, 4250, 17, K::Message, S::Repeated, REQUIRED | NULLABLE, 306), // nodeSelectorTerms
    // 305 core/v1.NodeSelectorRequirement
    f(1, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(2, 10006, 8, K::String, S::One, REQUIRED, 0), // operator
    f(3, 10878, 6, K::String, S::Repeated, NULLABLE, 0), // values
    // 306 core/v1.NodeSelectorTerm
    f(1, 5040, 16, K::Message, S::Repeated, NULLABLE, 305), // matchExpressions
    f(2, 8319, 11, K::Message, S::Repeated, NULLABLE, 305), // matchFields
    // 307 core/v1.NodeSpec
    f(1, 10054, 7, K::String, S::One, SKIP_ZERO, 0), // podCIDR
    f(2, 8739, 10, K::String, S::One, SKIP_ZERO, 0), // externalID
    f(3, 8939, 10, K::String, S::One, SKIP_ZERO, 0), // providerID
    f(4, 7411, 13, K::Bool, S::One, SKIP_ZERO, 0), // unschedulable
    f(5, 10860, 6, K::Message, S::Repeated, NULLABLE, 398), // taints
    f(6, 7534, 12, K::Message, S::One, NULLABLE, 295), // configSource
    f(7, 10054, 8, K::String, S::Repeated, NULLABLE, 0), // podCIDRs
    f(8, 3112, 19, K::Message, S::One, NULLABLE, 300), // podPreemptionPolicy
    // 308 core/v1.NodeStatus
    f(1, 3317, 8, K::Quantity, S::Map, NULLABLE, 0), // capacity
    f(2, 8033, 11, K::Quantity, S::Map, NULLABLE, 0), // allocatable
    f(3, 10960, 5, K::String, S::One, SKIP_ZERO, 0), // phase
    f(4, 7232, 10, K::Message, S::Repeated, NULLABLE, 294), // conditions
    f(5, 9169, 9, K::Message, S::Repeated, NULLABLE, 289), // addresses
    f(6, 5513, 15, K::Message, S::One, REQUIRED, 297), // daemonEndpoints
    f(7, 9966, 8, K::Message, S::One, REQUIRED, 310), // nodeInfo
    f(8, 10710, 6, K::Message, S::Repeated, NULLABLE, 217), // images
    f(9, 7954, 12, K::String, S::Repeated, NULLABLE, 0), // volumesInUse
    f(10, 6113, 15, K::Message, S::Repeated, NULLABLE, 191), // volumesAttached
    f(11, 5468, 6, K::Message, S::One, NULLABLE, 296), // config
    f(12, 5903, 15, K::Message, S::Repeated, NULLABLE, 302), // runtimeHandlers
    f(13, 9830, 8, K::Message, S::One, NULLABLE, 298), // features
    f(14, 4736, 16, K::String, S::Repeated, NULLABLE, 0), // declaredFeatures
    // 309 core/v1.NodeSwapStatus
    f(1, 3317, 8, K::Int, S::One, NULLABLE, 0), // capacity
    // 310 core/v1.NodeSystemInfo
    f(1, 9376, 9, K::String, S::One, REQUIRED, 0), // machineID
    f(2, 9079, 10, K::String, S::One, REQUIRED, 0), // systemUUID
    f(3, 10620, 6, K::String, S::One, REQUIRED, 0), // bootID
    f(4, 7060, 13, K::String, S::One, REQUIRED, 0), // kernelVersion
    f(5, 10468, 7, K::String, S::One, REQUIRED, 0), // osImage
    f(6, 1595, 23, K::String, S::One, REQUIRED, 0), // containerRuntimeVersion
    f(7, 6422, 14, K::String, S::One, REQUIRED, 0), // kubeletVersion
    f(8, 4928, 16, K::String, S::One, REQUIRED, 0), // kubeProxyVersion
    f(9, 5783, 15, K::String, S::One, REQUIRED, 0), // operatingSystem
    f(10, 7450, 12, K::String, S::One, REQUIRED, 0), // architecture
    f(11, 11075, 4, K::Message, S::One, NULLABLE, 309), // swap
    f(12, 2001, 22, K::Bool, S::One, NULLABLE, 0), // runningInUserNamespace
    // 311 core/v1.ObjectFieldSelector
    f(1, 8066, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    f(2, 9286, 9, K::String, S::One, REQUIRED, 0), // fieldPath
    // 312 core/v1.ObjectReference
    f(1, 11051, 4, K::String, S::One, SKIP_ZERO, 0), // kind
    f(2, 4233, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(3, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(4, 11107, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    f(5, 8066, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    f(6, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    f(7, 9286, 9, K::String, S::One, SKIP_ZERO, 0), // fieldPath
    // 313 core/v1.PersistentVolume
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 322), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 323), // status
    // 314 core/v1.PersistentVolumeClaim
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 316), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 317), // status
    // 315 core/v1.PersistentVolumeClaimList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 314), // items
    // 316 core/v1.PersistentVolumeClaimSpec
    f(1, 7989, 11, K::String, S::Repeated, NULLABLE, 0), // accessModes
    f(2, 7837, 9, K::Message, S::One, REQUIRED, 412), // resources
    f(3, 6098, 10, K::String, S::One, SKIP_ZERO, 0), // volumeName
    f(4, 9556, 8, K::Message, S::One, NULLABLE, 721), // selector
    f(5, 5344, 16, K::String, S::One, NULLABLE, 0), // storageClassName
    f(6, 9129, 10, K::String, S::One, NULLABLE, 0), // volumeMode
    f(7, 6904, 10, K::Message, S::One, NULLABLE, 403), // dataSource
    f(8, 6904, 13, K::Message, S::One, NULLABLE, 404), // dataSourceRef
    f(9, 1187, 25, K::String, S::One, NULLABLE, 0), // volumeAttributesClassName
    // 317 core/v1.PersistentVolumeClaimStatus
    f(1, 10960, 5, K::String, S::One, SKIP_ZERO, 0), // phase
    f(2, 7989, 11, K::String, S::Repeated, NULLABLE, 0), // accessModes
    f(3, 3317, 8, K::Quantity, S::Map, NULLABLE, 0), // capacity
    f(4, 7232, 10, K::Message, S::Repeated, NULLABLE, 151), // conditions
    f(5, 1236, 18, K::Quantity, S::Map, NULLABLE, 0), // allocatedResources
    f(7, 1037, 25, K::String, S::Map, NULLABLE, 0), // allocatedResourceStatuses
    f(8, 283, 32, K::String, S::One, NULLABLE, 0), // currentVolumeAttributesClassName
    f(9, 3551, 18, K::Message, S::One, NULLABLE, 281), // modifyVolumeStatus
    f(10, 7630, 12, K::Message, S::One, NULLABLE, 407), // healthStatus
    // 318 core/v1.PersistentVolumeClaimTemplate
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 316), // spec
    // 319 core/v1.PersistentVolumeClaimVolumeSource
    f(1, 9214, 9, K::String, S::One, REQUIRED, 0), // claimName
    f(2, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 320 core/v1.PersistentVolumeList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 313), // items
    // 321 core/v1.PersistentVolumeSource
    f(1, 4114, 17, K::Message, S::One, NULLABLE, 254), // gcePersistentDisk
    f(2, 2464, 20, K::Message, S::One, NULLABLE, 188), // awsElasticBlockStore
    f(3, 9878, 8, K::Message, S::One, NULLABLE, 263), // hostPath
    f(4, 9304, 9, K::Message, S::One, NULLABLE, 257), // glusterfs
    f(5, 11098, 3, K::Message, S::One, NULLABLE, 282), // nfs
    f(6, 11101, 3, K::Message, S::One, NULLABLE, 358), // rbd
    f(7, 6408, 5, K::Message, S::One, NULLABLE, 264), // iscsi
    f(8, 10638, 6, K::Message, S::One, NULLABLE, 201), // cinder
    f(9, 10632, 6, K::Message, S::One, NULLABLE, 199), // cephfs
    f(10, 5482, 2, K::Message, S::One, NULLABLE, 249), // fc
    f(11, 10314, 7, K::Message, S::One, NULLABLE, 253), // flocker
    f(12, 8789, 10, K::Message, S::One, NULLABLE, 251), // flexVolume
    f(13, 9205, 9, K::Message, S::One, NULLABLE, 193), // azureFile
    f(14, 7437, 13, K::Message, S::One, NULLABLE, 415), // vsphereVolume
    f(15, 10503, 7, K::Message, S::One, NULLABLE, 357), // quobyte
    f(16, 9196, 9, K::Message, S::One, NULLABLE, 192), // azureDisk
    f(17, 2744, 20, K::Message, S::One, NULLABLE, 324), // photonPersistentDisk
    f(18, 6562, 14, K::Message, S::One, NULLABLE, 352), // portworxVolume
    f(19, 10531, 7, K::Message, S::One, NULLABLE, 375), // scaleIO
    f(20, 5008, 5, K::Message, S::One, NULLABLE, 280), // local
    f(21, 9637, 9, K::Message, S::One, NULLABLE, 395), // storageos
    f(22, 6410, 3, K::Message, S::One, NULLABLE, 196), // csi
    // 322 core/v1.PersistentVolumeSpec
    f(1, 3317, 8, K::Quantity, S::Map, NULLABLE, 0), // capacity
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 321), // 
    f(3, 7989, 11, K::String, S::Repeated, NULLABLE, 0), // accessModes
    f(4, 9782, 8, K::Message, S::One, NULLABLE, 312), // claimRef
    f(5, 526, 29, K::String, S::One, SKIP_ZERO, 0), // persistentVolumeReclaimPolicy
    f(6, 5344, 16, K::String, S::One, SKIP_ZERO, 0), // storageClassName
    f(7, 7654, 12, K::String, S::Repeated, NULLABLE, 0), // mountOptions
    f(8, 9129, 10, K::String, S::One, NULLABLE, 0), // volumeMode
    f(9, 3569, 12, K::Message, S::One, NULLABLE, 410), // nodeAffinity
    f(10, 1187, 25, K::String, S::One, NULLABLE, 0), // volumeAttributesClassName
    // 323 core/v1.PersistentVolumeStatus
    f(1, 10960, 5, K::String, S::One, SKIP_ZERO, 0), // phase
    f(2, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(3, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(4, 1664, 23, K::Time, S::One, NULLABLE, 0), // lastPhaseTransitionTime
    // 324 core/v1.PhotonPersistentDiskVolumeSource
    f(1, 11063, 4, K::String, S::One, REQUIRED, 0), // pdID
    f(2, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    // 325 core/v1.Pod
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 344), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 345), // status
    // 326 core/v1.PodAffinity
    f(1, 95, 46, K::Message, S::Repeated, NULLABLE, 327), // requiredDuringSchedulingIgnoredDuringExecution
    f(2, 48, 47, K::Message, S::Repeated, NULLABLE, 416), // preferredDuringSchedulingIgnoredDuringExecution
    // 327 core/v1.PodAffinityTerm
    f(1, 4131, 13, K::Message, S::One, NULLABLE, 721), // labelSelector
    f(2, 8869, 10, K::String, S::Repeated, NULLABLE, 0), // namespaces
    f(3, 7870, 11, K::String, S::One, REQUIRED, 0), // topologyKey
    f(4, 4233, 17, K::Message, S::One, NULLABLE, 721), // namespaceSelector
    f(5, 4219, 14, K::String, S::Repeated, NULLABLE, 0), // matchLabelKeys
    f(6, 4216, 17, K::String, S::Repeated, NULLABLE, 0), // mismatchLabelKeys
    // 328 core/v1.PodAttachOptions
    f(1, 9628, 5, K::Bool, S::One, SKIP_ZERO, 0), // stdin
    f(2, 10848, 6, K::Bool, S::One, SKIP_ZERO, 0), // stdout
    f(3, 10842, 6, K::Bool, S::One, SKIP_ZERO, 0), // stderr
    f(4, 11104, 3, K::Bool, S::One, SKIP_ZERO, 0), // tty
    f(5, 1595, 9, K::String, S::One, SKIP_ZERO, 0), // container
    // 329 core/v1.PodCertificateProjection
    f(1, 9039, 10, K::String, S::One, SKIP_ZERO, 0), // signerName
    f(2, 10391, 7, K::String, S::One, SKIP_ZERO, 0), // keyType
    f(3, 2664, 20, K::Int, S::One, NULLABLE, 0), // maxExpirationSeconds
    f(4, 2544, 20, K::String, S::One, SKIP_ZERO, 0), // credentialBundlePath
    f(5, 10384, 7, K::String, S::One, SKIP_ZERO, 0), // keyPath
    f(6, 2504, 20, K::String, S::One, SKIP_ZERO, 0), // certificateChainPath
    f(7, 6038, 15, K::String, S::Map, NULLABLE, 0), // userAnnotations
    f(8, 6038, 4, K::Int, S::One, NULLABLE, 0), // user
    // 330 core/v1.PodCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 7086, 13, K::Time, S::One, REQUIRED, 0), // lastProbeTime
    f(4, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(5, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(6, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(7, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    // 331 core/v1.PodDNSConfig
    f(1, 8374, 11, K::String, S::Repeated, NULLABLE, 0), // nameservers
    f(2, 10142, 8, K::String, S::Repeated, NULLABLE, 0), // searches
    f(3, 10461, 7, K::Message, S::Repeated, NULLABLE, 332), // options
    // 332 core/v1.PodDNSConfigOption
    f(1, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 6068, 5, K::String, S::One, NULLABLE, 0), // value
    // 333 core/v1.PodExecOptions
    f(1, 9628, 5, K::Bool, S::One, SKIP_ZERO, 0), // stdin
    f(2, 10848, 6, K::Bool, S::One, SKIP_ZERO, 0), // stdout
    f(3, 10842, 6, K::Bool, S::One, SKIP_ZERO, 0), // stderr
    f(4, 11104, 3, K::Bool, S::One, SKIP_ZERO, 0), // tty
    f(5, 1595, 9, K::String, S::One, SKIP_ZERO, 0), // container
    f(6, 10244, 7, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // command
    // 334 core/v1.PodExtendedResourceClaimStatus
    f(1, 5873, 15, K::Message, S::Repeated, REQUIRED | NULLABLE, 216), // requestMappings
    f(2, 4437, 17, K::String, S::One, REQUIRED, 0), // resourceClaimName
    // 335 core/v1.PodList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 325), // items
    // 336 core/v1.PodLogOptions
    f(1, 1595, 9, K::String, S::One, SKIP_ZERO, 0), // container
    f(2, 10686, 6, K::Bool, S::One, SKIP_ZERO, 0), // follow
    f(3, 10086, 8, K::Bool, S::One, SKIP_ZERO, 0), // previous
    f(4, 7798, 12, K::Int, S::One, NULLABLE, 0), // sinceSeconds
    f(5, 9583, 9, K::Time, S::One, NULLABLE, 0), // sinceTime
    f(6, 9109, 10, K::Bool, S::One, SKIP_ZERO, 0), // timestamps
    f(7, 9655, 9, K::Int, S::One, NULLABLE, 0), // tailLines
    f(8, 8829, 10, K::Int, S::One, NULLABLE, 0), // limitBytes
    f(9, 641, 28, K::Bool, S::One, SKIP_ZERO, 0), // insecureSkipTLSVerifyBackend
    f(10, 10854, 6, K::String, S::One, NULLABLE, 0), // stream
    // 337 core/v1.PodOS
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    // 338 core/v1.PodPortForwardOptions
    f(1, 10970, 5, K::Int, S::Repeated, NULLABLE, 0), // ports
    // 339 core/v1.PodReadinessGate
    f(1, 6852, 13, K::String, S::One, REQUIRED, 0), // conditionType
    // 340 core/v1.PodResourceClaim
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(3, 4437, 17, K::String, S::One, NULLABLE, 0), // resourceClaimName
    f(4, 1112, 25, K::String, S::One, NULLABLE, 0), // resourceClaimTemplateName
    // 341 core/v1.PodResourceClaimStatus
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 4437, 17, K::String, S::One, NULLABLE, 0), // resourceClaimName
    // 342 core/v1.PodSchedulingGroup
    f(1, 7690, 12, K::String, S::One, NULLABLE, 0), // podGroupName
    // 343 core/v1.PodSecurityContext
    f(1, 6632, 14, K::Message, S::One, NULLABLE, 374), // seLinuxOptions
    f(2, 7320, 9, K::Int, S::One, NULLABLE, 0), // runAsUser
    f(3, 7750, 12, K::Bool, S::One, NULLABLE, 0), // runAsNonRoot
    f(4, 1500, 18, K::Int, S::Repeated, NULLABLE, 0), // supplementalGroups
    f(5, 2998, 7, K::Int, S::One, NULLABLE, 0), // fsGroup
    f(6, 9009, 10, K::Int, S::One, NULLABLE, 0), // runAsGroup
    f(7, 10594, 7, K::Message, S::Repeated, NULLABLE, 260), // sysctls
    f(8, 6786, 14, K::Message, S::One, NULLABLE, 417), // windowsOptions
    f(9, 2998, 19, K::String, S::One, NULLABLE, 0), // fsGroupChangePolicy
    f(10, 6646, 14, K::Message, S::One, NULLABLE, 190), // seccompProfile
    f(11, 5438, 15, K::Message, S::One, NULLABLE, 190), // appArmorProfile
    f(12, 1500, 24, K::String, S::One, NULLABLE, 0), // supplementalGroupsPolicy
    f(13, 3150, 19, K::String, S::One, NULLABLE, 0), // seLinuxChangePolicy
    // 344 core/v1.PodSpec
    f(1, 6113, 7, K::Message, S::Repeated, NULLABLE, 405), // volumes
    f(2, 8699, 10, K::Message, S::Repeated, REQUIRED | NULLABLE, 215), // containers
    f(3, 3749, 13, K::String, S::One, SKIP_ZERO, 0), // restartPolicy
    f(4, 584, 29, K::Int, S::One, NULLABLE, 0), // terminationGracePeriodSeconds
    f(5, 2089, 21, K::Int, S::One, NULLABLE, 0), // activeDeadlineSeconds
    f(6, 9250, 9, K::String, S::One, SKIP_ZERO, 0), // dnsPolicy
    f(7, 4250, 12, K::String, S::Map, NULLABLE, 0), // nodeSelector
    f(8, 3767, 18, K::String, S::One, SKIP_ZERO, 0), // serviceAccountName
    f(9, 669, 14, K::String, S::One, SKIP_ZERO, 0), // serviceAccount
    f(10, 9974, 8, K::String, S::One, SKIP_ZERO, 0), // nodeName
    f(11, 8275, 11, K::Bool, S::One, SKIP_ZERO, 0), // hostNetwork
    f(12, 10356, 7, K::Bool, S::One, SKIP_ZERO, 0), // hostPID
    f(13, 10342, 7, K::Bool, S::One, SKIP_ZERO, 0), // hostIPC
    f(14, 5963, 15, K::Message, S::One, NULLABLE, 343), // securityContext
    f(15, 4880, 16, K::Message, S::Repeated, NULLABLE, 279), // imagePullSecrets
    f(16, 4864, 8, K::String, S::One, SKIP_ZERO, 0), // hostname
    f(17, 9646, 9, K::String, S::One, SKIP_ZERO, 0), // subdomain
    f(18, 9726, 8, K::Message, S::One, NULLABLE, 189), // affinity
    f(19, 7333, 13, K::String, S::One, SKIP_ZERO, 0), // schedulerName
    f(20, 6366, 14, K::Message, S::Repeated, NULLABLE, 215), // initContainers
    f(21, 613, 28, K::Bool, S::One, NULLABLE, 0), // automountServiceAccountToken
    f(22, 8583, 11, K::Message, S::Repeated, NULLABLE, 399), // tolerations
    f(23, 8264, 11, K::Message, S::Repeated, NULLABLE, 261), // hostAliases
    f(24, 4352, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(25, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    f(26, 9241, 9, K::Message, S::One, NULLABLE, 331), // dnsConfig
    f(27, 2362, 21, K::Bool, S::One, NULLABLE, 0), // shareProcessNamespace
    f(28, 6576, 14, K::Message, S::Repeated, NULLABLE, 339), // readinessGates
    f(29, 5248, 16, K::String, S::One, NULLABLE, 0), // runtimeClassName
    f(30, 3407, 18, K::Bool, S::One, NULLABLE, 0), // enableServiceLinks
    f(31, 5168, 16, K::String, S::One, NULLABLE, 0), // preemptionPolicy
    f(32, 10022, 8, K::Quantity, S::Map, NULLABLE, 0), // overhead
    f(33, 1137, 25, K::Message, S::Repeated, NULLABLE, 402), // topologySpreadConstraints
    f(34, 2960, 19, K::Message, S::Repeated, NULLABLE, 241), // ephemeralContainers
    f(35, 4505, 17, K::Bool, S::One, NULLABLE, 0), // setHostnameAsFQDN
    f(36, 734, 2, K::Message, S::One, NULLABLE, 337), // os
    f(37, 9313, 9, K::Bool, S::One, NULLABLE, 0), // hostUsers
    f(38, 5918, 15, K::Message, S::Repeated, NULLABLE, 337), // schedulingGates
    f(39, 6604, 14, K::Message, S::Repeated, NULLABLE, 340), // resourceClaims
    f(40, 7837, 9, K::Message, S::One, NULLABLE, 372), // resources
    f(41, 4864, 16, K::String, S::One, NULLABLE, 0), // hostnameOverride
    f(43, 5933, 15, K::Message, S::One, NULLABLE, 342), // schedulingGroup
    f(44, 3443, 18, K::Message, S::Repeated, NULLABLE, 247), // evictionResponders
    // 345 core/v1.PodStatus
    f(1, 10960, 5, K::String, S::One, SKIP_ZERO, 0), // phase
    f(2, 7232, 10, K::Message, S::Repeated, NULLABLE, 330), // conditions
    f(3, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(4, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 10342, 6, K::String, S::One, SKIP_ZERO, 0), // hostIP
    f(6, 10782, 5, K::String, S::One, SKIP_ZERO, 0), // podIP
    f(7, 9610, 9, K::Time, S::One, NULLABLE, 0), // startTime
    f(8, 3978, 17, K::Message, S::Repeated, NULLABLE, 226), // containerStatuses
    f(9, 10102, 8, K::String, S::One, SKIP_ZERO, 0), // qosClass
    f(10, 2194, 21, K::Message, S::Repeated, NULLABLE, 226), // initContainerStatuses
    f(11, 4267, 17, K::String, S::One, SKIP_ZERO, 0), // nominatedNodeName
    f(12, 10782, 6, K::Message, S::Repeated, NULLABLE, 262), // podIPs
    f(13, 829, 26, K::Message, S::Repeated, NULLABLE, 226), // ephemeralContainerStatuses
    f(14, 7714, 6, K::String, S::One, SKIP_ZERO, 0), // resize
    f(15, 2299, 21, K::Message, S::Repeated, NULLABLE, 341), // resourceClaimStatuses
    f(16, 10349, 7, K::Message, S::Repeated, NULLABLE, 262), // hostIPs
    f(17, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(18, 697, 27, K::Message, S::One, NULLABLE, 334), // extendedResourceClaimStatus
    f(19, 1236, 18, K::Quantity, S::Map, NULLABLE, 0), // allocatedResources
    f(20, 7837, 9, K::Message, S::One, NULLABLE, 372), // resources
    f(21, 141, 36, K::Message, S::Repeated, NULLABLE, 293), // nodeAllocatableResourceClaimStatuses
    f(22, 7918, 12, K::Message, S::Repeated, NULLABLE, 350), // volumeHealth
    // 346 core/v1.PodStatusResult
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 3803, 6, K::Message, S::One, REQUIRED, 345), // status
    // 347 core/v1.PodTemplate
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 3839, 8, K::Message, S::One, REQUIRED, 349), // template
    // 348 core/v1.PodTemplateList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 347), // items
    // 349 core/v1.PodTemplateSpec
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 344), // spec
    // 350 core/v1.PodVolumeHealth
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 4848, 16, K::Message, S::Repeated, NULLABLE, 406), // healthConditions
    f(3, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    // 351 core/v1.PortStatus
    f(1, 3133, 4, K::Int, S::One, REQUIRED, 0), // port
    f(2, 10094, 8, K::String, S::One, REQUIRED, 0), // protocol
    f(3, 9259, 5, K::String, S::One, NULLABLE, 0), // error
    // 352 core/v1.PortworxVolumeSource
    f(1, 10206, 8, K::String, S::One, REQUIRED, 0), // volumeID
    f(2, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 353 core/v1.PreferredSchedulingTerm
    f(1, 10884, 6, K::Int, S::One, REQUIRED, 0), // weight
    f(2, 8909, 10, K::Message, S::One, REQUIRED, 306), // preference
    // 354 core/v1.Probe
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 355), // 
    f(2, 3036, 19, K::Int, S::One, SKIP_ZERO, 0), // initialDelaySeconds
    f(3, 6730, 14, K::Int, S::One, SKIP_ZERO, 0), // timeoutSeconds
    f(4, 7203, 13, K::Int, S::One, SKIP_ZERO, 0), // periodSeconds
    f(5, 5376, 16, K::Int, S::One, SKIP_ZERO, 0), // successThreshold
    f(6, 4832, 16, K::Int, S::One, SKIP_ZERO, 0), // failureThreshold
    f(7, 584, 29, K::Int, S::One, NULLABLE, 0), // terminationGracePeriodSeconds
    // 355 core/v1.ProbeHandler
    f(1, 11035, 4, K::Message, S::One, NULLABLE, 248), // exec
    f(2, 10363, 7, K::Message, S::One, NULLABLE, 259), // httpGet
    f(3, 9673, 9, K::Message, S::One, NULLABLE, 397), // tcpSocket
    f(4, 11047, 4, K::Message, S::One, NULLABLE, 255), // grpc
    // 356 core/v1.ProjectedVolumeSource
    f(1, 1247, 7, K::Message, S::Repeated, REQUIRED | NULLABLE, 411), // sources
    f(2, 8187, 11, K::Int, S::One, NULLABLE, 0), // defaultMode
    f(3, 8198, 11, K::Int, S::One, NULLABLE, 0), // defaultUser
    // 357 core/v1.QuobyteVolumeSource
    f(1, 10118, 8, K::String, S::One, REQUIRED, 0), // registry
    f(2, 1187, 6, K::String, S::One, REQUIRED, 0), // volume
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 6038, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(5, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(6, 10866, 6, K::String, S::One, SKIP_ZERO, 0), // tenant
    // 358 core/v1.RBDPersistentVolumeSource
    f(1, 9958, 8, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // monitors
    f(2, 4880, 5, K::String, S::One, REQUIRED, 0), // image
    f(3, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(4, 9475, 4, K::String, S::One, SKIP_ZERO, 0), // pool
    f(5, 6038, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(6, 10398, 7, K::String, S::One, SKIP_ZERO, 0), // keyring
    f(7, 9547, 9, K::Message, S::One, NULLABLE, 381), // secretRef
    f(8, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 359 core/v1.RBDVolumeSource
    f(1, 9958, 8, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // monitors
    f(2, 4880, 5, K::String, S::One, REQUIRED, 0), // image
    f(3, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(4, 9475, 4, K::String, S::One, SKIP_ZERO, 0), // pool
    f(5, 6038, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(6, 10398, 7, K::String, S::One, SKIP_ZERO, 0), // keyring
    f(7, 9547, 9, K::Message, S::One, NULLABLE, 279), // secretRef
    f(8, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 360 core/v1.RangeAllocation
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10975, 5, K::String, S::One, REQUIRED, 0), // range
    f(3, 3277, 4, K::Bytes, S::One, REQUIRED | NULLABLE, 0), // data
    // 361 core/v1.ReplicationController
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 363), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 364), // status
    // 362 core/v1.ReplicationControllerList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 361), // items
    // 363 core/v1.ReplicationControllerSpec
    f(1, 10126, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9556, 8, K::String, S::Map, NULLABLE, 0), // selector
    f(3, 3839, 8, K::Message, S::One, NULLABLE, 349), // template
    f(4, 5708, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    // 364 core/v1.ReplicationControllerStatus
    f(1, 10126, 8, K::Int, S::One, REQUIRED, 0), // replicas
    f(2, 2604, 20, K::Int, S::One, SKIP_ZERO, 0), // fullyLabeledReplicas
    f(3, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(4, 7242, 13, K::Int, S::One, SKIP_ZERO, 0), // readyReplicas
    f(5, 3228, 17, K::Int, S::One, SKIP_ZERO, 0), // availableReplicas
    f(6, 7232, 10, K::Message, S::Repeated, NULLABLE, 57), // conditions
    // 365 core/v1.ResourceClaim
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 3695, 7, K::String, S::One, SKIP_ZERO, 0), // request
    // 366 core/v1.ResourceFieldSelector
    f(1, 6865, 13, K::String, S::One, SKIP_ZERO, 0), // containerName
    f(2, 460, 8, K::String, S::One, REQUIRED, 0), // resource
    f(3, 10272, 7, K::Quantity, S::One, REQUIRED, 0), // divisor
    // 367 core/v1.ResourceHealth
    f(1, 8979, 10, K::String, S::One, REQUIRED, 0), // resourceID
    f(2, 961, 6, K::String, S::One, SKIP_ZERO, 0), // health
    f(6, 4199, 7, K::String, S::One, NULLABLE, 0), // message
    // 368 core/v1.ResourceQuota
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 370), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 371), // status
    // 369 core/v1.ResourceQuotaList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 368), // items
    // 370 core/v1.ResourceQuotaSpec
    f(1, 5633, 4, K::Quantity, S::Map, NULLABLE, 0), // hard
    f(2, 10818, 6, K::String, S::Repeated, NULLABLE, 0), // scopes
    f(3, 7346, 13, K::Message, S::One, NULLABLE, 377), // scopeSelector
    // 371 core/v1.ResourceQuotaStatus
    f(1, 5633, 4, K::Quantity, S::Map, NULLABLE, 0), // hard
    f(2, 10760, 4, K::Quantity, S::Map, NULLABLE, 0), // used
    // 372 core/v1.ResourceRequirements
    f(1, 10734, 6, K::Quantity, S::Map, NULLABLE, 0), // limits
    f(2, 10134, 8, K::Quantity, S::Map, NULLABLE, 0), // requests
    f(3, 10644, 6, K::Message, S::Repeated, NULLABLE, 365), // claims
    // 373 core/v1.ResourceStatus
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 7837, 9, K::Message, S::Repeated, NULLABLE, 367), // resources
    // 374 core/v1.SELinuxOptions
    f(1, 6038, 4, K::String, S::One, SKIP_ZERO, 0), // user
    f(2, 10524, 4, K::String, S::One, SKIP_ZERO, 0), // role
    f(3, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(4, 10940, 5, K::String, S::One, SKIP_ZERO, 0), // level
    // 375 core/v1.ScaleIOPersistentVolumeSource
    f(1, 10321, 7, K::String, S::One, REQUIRED, 0), // gateway
    f(2, 1995, 6, K::String, S::One, REQUIRED, 0), // system
    f(3, 9547, 9, K::Message, S::One, REQUIRED | NULLABLE, 381), // secretRef
    f(4, 9049, 10, K::Bool, S::One, SKIP_ZERO, 0), // sslEnabled
    f(5, 5200, 16, K::String, S::One, SKIP_ZERO, 0), // protectionDomain
    f(6, 8550, 11, K::String, S::One, SKIP_ZERO, 0), // storagePool
    f(7, 8539, 11, K::String, S::One, SKIP_ZERO, 0), // storageMode
    f(8, 6098, 10, K::String, S::One, SKIP_ZERO, 0), // volumeName
    f(9, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(10, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 376 core/v1.ScaleIOVolumeSource
    f(1, 10321, 7, K::String, S::One, REQUIRED, 0), // gateway
    f(2, 1995, 6, K::String, S::One, REQUIRED, 0), // system
    f(3, 9547, 9, K::Message, S::One, REQUIRED | NULLABLE, 279), // secretRef
    f(4, 9049, 10, K::Bool, S::One, SKIP_ZERO, 0), // sslEnabled
    f(5, 5200, 16, K::String, S::One, SKIP_ZERO, 0), // protectionDomain
    f(6, 8550, 11, K::String, S::One, SKIP_ZERO, 0), // storagePool
    f(7, 8539, 11, K::String, S::One, SKIP_ZERO, 0), // storageMode
    f(8, 6098, 10, K::String, S::One, SKIP_ZERO, 0), // volumeName
    f(9, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(10, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    // 377 core/v1.ScopeSelector
    f(1, 5040, 16, K::Message, S::Repeated, NULLABLE, 378), // matchExpressions
    // 378 core/v1.ScopedResourceSelectorRequirement
    f(1, 9538, 9, K::String, S::One, REQUIRED, 0), // scopeName
    f(2, 10006, 8, K::String, S::One, REQUIRED, 0), // operator
    f(3, 10878, 6, K::String, S::Repeated, NULLABLE, 0), // values
    // 379 core/v1.Secret
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 3277, 4, K::Bytes, S::Map, NULLABLE, 0), // data
    f(3, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(4, 9069, 10, K::String, S::Map, NULLABLE, 0), // stringData
    f(5, 9331, 9, K::Bool, S::One, NULLABLE, 0), // immutable
    // 380 core/v1.SecretList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 379), // items
    // 381 core/v1.SecretReference
    f(1, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 4233, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    // 382 core/v1.SecretVolumeSource
    f(1, 5948, 10, K::String, S::One, SKIP_ZERO, 0), // secretName
    f(2, 10935, 5, K::Message, S::Repeated, NULLABLE, 268), // items
    f(3, 8187, 11, K::Int, S::One, NULLABLE, 0), // defaultMode
    f(4, 5798, 8, K::Bool, S::One, NULLABLE, 0), // optional
    f(5, 8198, 11, K::Int, S::One, NULLABLE, 0), // defaultUser
    // 383 core/v1.SecurityContext
    f(1, 7486, 12, K::Message, S::One, NULLABLE, 198), // capabilities
    f(2, 8919, 10, K::Bool, S::One, NULLABLE, 0), // privileged
    f(3, 6632, 14, K::Message, S::One, NULLABLE, 374), // seLinuxOptions
    f(4, 7320, 9, K::Int, S::One, NULLABLE, 0), // runAsUser
    f(5, 7750, 12, K::Bool, S::One, NULLABLE, 0), // runAsNonRoot
    f(6, 1979, 22, K::Bool, S::One, NULLABLE, 0), // readOnlyRootFilesystem
    f(7, 1284, 24, K::Bool, S::One, NULLABLE, 0), // allowPrivilegeEscalation
    f(8, 9009, 10, K::Int, S::One, NULLABLE, 0), // runAsGroup
    f(9, 9493, 9, K::String, S::One, NULLABLE, 0), // procMount
    f(10, 6786, 14, K::Message, S::One, NULLABLE, 417), // windowsOptions
    f(11, 6646, 14, K::Message, S::One, NULLABLE, 190), // seccompProfile
    f(12, 5438, 15, K::Message, S::One, NULLABLE, 190), // appArmorProfile
    // 384 core/v1.SerializedReference
    f(1, 8910, 9, K::Message, S::One, REQUIRED, 312), // reference
    // 385 core/v1.Service
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 391), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 392), // status
    // 386 core/v1.ServiceAccount
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10552, 7, K::Message, S::Repeated, NULLABLE, 312), // secrets
    f(3, 4880, 16, K::Message, S::Repeated, NULLABLE, 279), // imagePullSecrets
    f(4, 613, 28, K::Bool, S::One, NULLABLE, 0), // automountServiceAccountToken
    // 387 core/v1.ServiceAccountList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 386), // items
    // 388 core/v1.ServiceAccountTokenProjection
    f(1, 9187, 8, K::String, S::One, SKIP_ZERO, 0), // audience
    f(2, 4097, 17, K::Int, S::One, NULLABLE, 0), // expirationSeconds
    f(3, 10038, 4, K::String, S::One, REQUIRED, 0), // path
    f(4, 6038, 4, K::Int, S::One, NULLABLE, 0), // user
    // 389 core/v1.ServiceList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 385), // items
    // 390 core/v1.ServicePort
    f(1, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 10094, 8, K::String, S::One, SKIP_ZERO, 0), // protocol
    f(3, 3133, 4, K::Int, S::One, REQUIRED, 0), // port
    f(4, 7846, 10, K::IntOrString, S::One, REQUIRED, 0), // targetPort
    f(5, 9982, 8, K::Int, S::One, SKIP_ZERO, 0), // nodePort
    f(6, 8077, 11, K::String, S::One, NULLABLE, 0), // appProtocol
    // 391 core/v1.ServiceSpec
    f(1, 10970, 5, K::Message, S::Repeated, NULLABLE, 390), // ports
    f(2, 9556, 8, K::String, S::Map, NULLABLE, 0), // selector
    f(3, 8689, 9, K::String, S::One, SKIP_ZERO, 0), // clusterIP
    f(4, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(5, 8253, 11, K::String, S::Repeated, NULLABLE, 0), // externalIPs
    f(7, 2341, 15, K::String, S::One, SKIP_ZERO, 0), // sessionAffinity
    f(8, 6450, 14, K::String, S::One, SKIP_ZERO, 0), // loadBalancerIP
    f(9, 1404, 24, K::String, S::Repeated, NULLABLE, 0), // loadBalancerSourceRanges
    f(10, 7582, 12, K::String, S::One, SKIP_ZERO, 0), // externalName
    f(11, 2152, 21, K::String, S::One, SKIP_ZERO, 0), // externalTrafficPolicy
    f(12, 3017, 19, K::Int, S::One, SKIP_ZERO, 0), // healthCheckNodePort
    f(13, 1476, 24, K::Bool, S::One, SKIP_ZERO, 0), // publishNotReadyAddresses
    f(14, 2341, 21, K::Message, S::One, NULLABLE, 393), // sessionAffinityConfig
    f(17, 6394, 14, K::String, S::One, NULLABLE, 0), // ipFamilyPolicy
    f(18, 8689, 10, K::String, S::Repeated, NULLABLE, 0), // clusterIPs
    f(19, 8819, 10, K::String, S::Repeated, NULLABLE, 0), // ipFamilies
    f(20, 468, 29, K::Bool, S::One, NULLABLE, 0), // allocateLoadBalancerNodePorts
    f(21, 4165, 17, K::String, S::One, NULLABLE, 0), // loadBalancerClass
    f(22, 2215, 21, K::String, S::One, NULLABLE, 0), // internalTrafficPolicy
    f(23, 3207, 19, K::String, S::One, NULLABLE, 0), // trafficDistribution
    // 392 core/v1.ServiceStatus
    f(1, 1404, 12, K::Message, S::One, REQUIRED, 278), // loadBalancer
    f(2, 7232, 10, K::Message, S::Repeated, NULLABLE, 713), // conditions
    // 393 core/v1.SessionAffinityConfig
    f(1, 9790, 8, K::Message, S::One, NULLABLE, 203), // clientIP
    // 394 core/v1.SleepAction
    f(1, 10545, 7, K::Int, S::One, REQUIRED, 0), // seconds
    // 395 core/v1.StorageOSPersistentVolumeSource
    f(1, 6098, 10, K::String, S::One, SKIP_ZERO, 0), // volumeName
    f(2, 6098, 15, K::String, S::One, SKIP_ZERO, 0), // volumeNamespace
    f(3, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(5, 9547, 9, K::Message, S::One, NULLABLE, 312), // secretRef
    // 396 core/v1.StorageOSVolumeSource
    f(1, 6098, 10, K::String, S::One, SKIP_ZERO, 0), // volumeName
    f(2, 6098, 15, K::String, S::One, SKIP_ZERO, 0), // volumeNamespace
    f(3, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(4, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(5, 9547, 9, K::Message, S::One, NULLABLE, 279), // secretRef
    // 397 core/v1.TCPSocketAction
    f(1, 3133, 4, K::IntOrString, S::One, REQUIRED, 0), // port
    f(2, 4864, 4, K::String, S::One, SKIP_ZERO, 0), // host
    // 398 core/v1.Taint
    f(1, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(2, 6068, 5, K::String, S::One, SKIP_ZERO, 0), // value
    f(3, 10662, 6, K::String, S::One, REQUIRED, 0), // effect
    f(4, 9682, 9, K::Time, S::One, NULLABLE, 0), // timeAdded
    // 399 core/v1.Toleration
    f(1, 1033, 3, K::String, S::One, SKIP_ZERO, 0), // key
    f(2, 10006, 8, K::String, S::One, SKIP_ZERO, 0), // operator
    f(3, 6068, 5, K::String, S::One, SKIP_ZERO, 0), // value
    f(4, 10662, 6, K::String, S::One, SKIP_ZERO, 0), // effect
    f(5, 4556, 17, K::Int, S::One, NULLABLE, 0), // tolerationSeconds
    // 400 core/v1.TopologySelectorLabelRequirement
    f(1, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    f(2, 10878, 6, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // values
    // 401 core/v1.TopologySelectorTerm
    f(1, 2236, 21, K::Message, S::Repeated, NULLABLE, 400), // matchLabelExpressions
    // 402 core/v1.TopologySpreadConstraint
    f(1, 10426, 7, K::Int, S::One, REQUIRED, 0), // maxSkew
    f(2, 7870, 11, K::String, S::One, REQUIRED, 0), // topologyKey
    f(3, 4607, 17, K::String, S::One, REQUIRED, 0), // whenUnsatisfiable
    f(4, 4131, 13, K::Message, S::One, NULLABLE, 721), // labelSelector
    f(5, 8839, 10, K::Int, S::One, NULLABLE, 0), // minDomains
    f(6, 3569, 18, K::String, S::One, NULLABLE, 0), // nodeAffinityPolicy
    f(7, 5088, 16, K::String, S::One, NULLABLE, 0), // nodeTaintsPolicy
    f(8, 4219, 14, K::String, S::Repeated, NULLABLE, 0), // matchLabelKeys
    // 403 core/v1.TypedLocalObjectReference
    f(1, 9178, 8, K::String, S::One, REQUIRED | NULLABLE, 0), // apiGroup
    f(2, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    f(3, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    // 404 core/v1.TypedObjectReference
    f(1, 9178, 8, K::String, S::One, REQUIRED | NULLABLE, 0), // apiGroup
    f(2, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    f(3, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(4, 4233, 9, K::String, S::One, NULLABLE, 0), // namespace
    // 405 core/v1.Volume
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 413), // 
    // 406 core/v1.VolumeHealthCondition
    f(1, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(2, 10806, 6, K::String, S::One, REQUIRED, 0), // reason
    f(3, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 407 core/v1.VolumeHealthStatus
    f(1, 4848, 16, K::Message, S::Repeated, NULLABLE, 406), // healthConditions
    f(2, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    // 408 core/v1.VolumeMount
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(3, 9412, 9, K::String, S::One, REQUIRED, 0), // mountPath
    f(4, 8561, 7, K::String, S::One, SKIP_ZERO, 0), // subPath
    f(5, 5072, 16, K::String, S::One, NULLABLE, 0), // mountPropagation
    f(6, 8561, 11, K::String, S::One, SKIP_ZERO, 0), // subPathExpr
    f(7, 1733, 17, K::String, S::One, NULLABLE, 0), // recursiveReadOnly
    f(8, 4656, 16, K::String, S::Repeated, NULLABLE, 0), // bindMountOptions
    // 409 core/v1.VolumeMountStatus
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 9412, 9, K::String, S::One, REQUIRED, 0), // mountPath
    f(3, 1979, 8, K::Bool, S::One, SKIP_ZERO, 0), // readOnly
    f(4, 1733, 17, K::String, S::One, NULLABLE, 0), // recursiveReadOnly
    f(5, 7942, 12, K::Message, S::One, NULLABLE, 414), // volumeStatus
    // 410 core/v1.VolumeNodeAffinity
    f(1, 95, 8, K::Message, S::One, NULLABLE, 304), // required
    // 411 core/v1.VolumeProjection
    f(1, 5948, 6, K::Message, S::One, NULLABLE, 213), // secret
    f(2, 8242, 11, K::Message, S::One, NULLABLE, 229), // downwardAPI
    f(3, 5468, 9, K::Message, S::One, NULLABLE, 213), // configMap
    f(4, 669, 19, K::Message, S::One, NULLABLE, 388), // serviceAccountToken
    f(5, 3335, 18, K::Message, S::One, NULLABLE, 204), // clusterTrustBundle
    f(6, 6534, 14, K::Message, S::One, NULLABLE, 329), // podCertificate
    // 412 core/v1.VolumeResourceRequirements
    f(1, 10734, 6, K::Quantity, S::Map, NULLABLE, 0), // limits
    f(2, 10134, 8, K::Quantity, S::Map, NULLABLE, 0), // requests
    // 413 core/v1.VolumeSource
    f(1, 9878, 8, K::Message, S::One, NULLABLE, 263), // hostPath
    f(2, 9822, 8, K::Message, S::One, NULLABLE, 232), // emptyDir
    f(3, 4114, 17, K::Message, S::One, NULLABLE, 254), // gcePersistentDisk
    f(4, 2464, 20, K::Message, S::One, NULLABLE, 188), // awsElasticBlockStore
    f(5, 10328, 7, K::Message, S::One, NULLABLE, 256), // gitRepo
    f(6, 5948, 6, K::Message, S::One, NULLABLE, 382), // secret
    f(7, 11098, 3, K::Message, S::One, NULLABLE, 282), // nfs
    f(8, 6408, 5, K::Message, S::One, NULLABLE, 265), // iscsi
    f(9, 9304, 9, K::Message, S::One, NULLABLE, 258), // glusterfs
    f(10, 177, 21, K::Message, S::One, NULLABLE, 319), // persistentVolumeClaim
    f(11, 11101, 3, K::Message, S::One, NULLABLE, 359), // rbd
    f(12, 8789, 10, K::Message, S::One, NULLABLE, 252), // flexVolume
    f(13, 10638, 6, K::Message, S::One, NULLABLE, 202), // cinder
    f(14, 10632, 6, K::Message, S::One, NULLABLE, 200), // cephfs
    f(15, 10314, 7, K::Message, S::One, NULLABLE, 253), // flocker
    f(16, 8242, 11, K::Message, S::One, NULLABLE, 231), // downwardAPI
    f(17, 5482, 2, K::Message, S::One, NULLABLE, 249), // fc
    f(18, 9205, 9, K::Message, S::One, NULLABLE, 194), // azureFile
    f(19, 5468, 9, K::Message, S::One, NULLABLE, 214), // configMap
    f(20, 7437, 13, K::Message, S::One, NULLABLE, 415), // vsphereVolume
    f(21, 10503, 7, K::Message, S::One, NULLABLE, 357), // quobyte
    f(22, 9196, 9, K::Message, S::One, NULLABLE, 192), // azureDisk
    f(23, 2744, 20, K::Message, S::One, NULLABLE, 324), // photonPersistentDisk
    f(24, 6562, 14, K::Message, S::One, NULLABLE, 352), // portworxVolume
    f(25, 10531, 7, K::Message, S::One, NULLABLE, 376), // scaleIO
    f(26, 9502, 9, K::Message, S::One, NULLABLE, 356), // projected
    f(27, 9637, 9, K::Message, S::One, NULLABLE, 396), // storageos
    f(28, 6410, 3, K::Message, S::One, NULLABLE, 197), // csi
    f(29, 829, 9, K::Message, S::One, NULLABLE, 242), // ephemeral
    f(30, 4880, 5, K::Message, S::One, NULLABLE, 266), // image
    // 414 core/v1.VolumeStatus
    f(1, 4880, 5, K::Message, S::One, NULLABLE, 267), // image
    // 415 core/v1.VsphereVirtualDiskVolumeSource
    f(1, 9139, 10, K::String, S::One, REQUIRED, 0), // volumePath
    f(2, 10698, 6, K::String, S::One, SKIP_ZERO, 0), // fsType
    f(3, 4522, 17, K::String, S::One, SKIP_ZERO, 0), // storagePolicyName
    f(4, 5993, 15, K::String, S::One, SKIP_ZERO, 0), // storagePolicyID
    // 416 core/v1.WeightedPodAffinityTerm
    f(1, 10884, 6, K::Int, S::One, REQUIRED, 0), // weight
    f(2, 5828, 15, K::Message, S::One, REQUIRED, 327), // podAffinityTerm
    // 417 core/v1.WindowsSecurityContextOptions
    f(1, 1913, 22, K::String, S::One, NULLABLE, 0), // gmsaCredentialSpecName
    f(2, 1913, 18, K::String, S::One, NULLABLE, 0), // gmsaCredentialSpec
    f(3, 7320, 13, K::String, S::One, NULLABLE, 0), // runAsUserName
    f(4, 8286, 11, K::Bool, S::One, NULLABLE, 0), // hostProcess
    // 418 discovery/v1.Endpoint
    f(1, 9169, 9, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // addresses
    f(2, 7232, 10, K::Message, S::One, REQUIRED, 419), // conditions
    f(3, 4864, 8, K::String, S::One, NULLABLE, 0), // hostname
    f(4, 9664, 9, K::Message, S::One, NULLABLE, 312), // targetRef
    f(5, 3353, 18, K::String, S::Map, NULLABLE, 0), // deprecatedTopology
    f(6, 9974, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(7, 11079, 4, K::String, S::One, NULLABLE, 0), // zone
    f(8, 10925, 5, K::Message, S::One, NULLABLE, 420), // hints
    // 419 discovery/v1.EndpointConditions
    f(1, 7242, 5, K::Bool, S::One, NULLABLE, 0), // ready
    f(2, 10559, 7, K::Bool, S::One, NULLABLE, 0), // serving
    f(3, 3188, 11, K::Bool, S::One, NULLABLE, 0), // terminating
    // 420 discovery/v1.EndpointHints
    f(1, 9862, 8, K::Message, S::Repeated, NULLABLE, 337), // forZones
    f(2, 9854, 8, K::Message, S::Repeated, NULLABLE, 337), // forNodes
    // 421 discovery/v1.EndpointPort
    f(1, 4233, 4, K::String, S::One, NULLABLE, 0), // name
    f(2, 10094, 8, K::String, S::One, NULLABLE, 0), // protocol
    f(3, 3133, 4, K::Int, S::One, NULLABLE, 0), // port
    f(4, 8077, 11, K::String, S::One, NULLABLE, 0), // appProtocol
    // 422 discovery/v1.EndpointSlice
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 3425, 9, K::Message, S::Repeated, REQUIRED | NULLABLE, 418), // endpoints
    f(3, 10970, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 421), // ports
    f(4, 8011, 11, K::String, S::One, REQUIRED, 0), // addressType
    // 423 discovery/v1.EndpointSliceList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 422), // items
    // 424 discovery/v1beta1.Endpoint
    f(1, 9169, 9, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // addresses
    f(2, 7232, 10, K::Message, S::One, REQUIRED, 419), // conditions
    f(3, 4864, 8, K::String, S::One, NULLABLE, 0), // hostname
    f(4, 9664, 9, K::Message, S::One, NULLABLE, 312), // targetRef
    f(5, 1137, 8, K::String, S::Map, NULLABLE, 0), // topology
    f(6, 9974, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(7, 10925, 5, K::Message, S::One, NULLABLE, 420), // hints
    // 425 discovery/v1beta1.EndpointSlice
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 3425, 9, K::Message, S::Repeated, REQUIRED | NULLABLE, 424), // endpoints
    f(3, 10970, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 421), // ports
    f(4, 8011, 11, K::String, S::One, REQUIRED, 0), // addressType
    // 426 discovery/v1beta1.EndpointSliceList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 425), // items
    // 427 events/v1.Event
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 9268, 9, K::MicroTime, S::One, REQUIRED, 0), // eventTime
    f(3, 10824, 6, K::Message, S::One, NULLABLE, 429), // series
    f(4, 3131, 19, K::String, S::One, SKIP_ZERO, 0), // reportingController
    f(5, 4403, 17, K::String, S::One, SKIP_ZERO, 0), // reportingInstance
    f(6, 10614, 6, K::String, S::One, SKIP_ZERO, 0), // action
    f(7, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(8, 9511, 9, K::Message, S::One, REQUIRED, 312), // regarding
    f(9, 10510, 7, K::Message, S::One, NULLABLE, 312), // related
    f(10, 11059, 4, K::String, S::One, SKIP_ZERO, 0), // note
    f(11, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(12, 4752, 16, K::Message, S::One, REQUIRED, 246), // deprecatedSource
    f(13, 1380, 24, K::Time, S::One, REQUIRED, 0), // deprecatedFirstTimestamp
    f(14, 1618, 23, K::Time, S::One, REQUIRED, 0), // deprecatedLastTimestamp
    f(15, 5528, 15, K::Int, S::One, SKIP_ZERO, 0), // deprecatedCount
    // 428 events/v1.EventList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 427), // items
    // 429 events/v1.EventSeries
    f(1, 631, 5, K::Int, S::One, REQUIRED, 0), // count
    f(2, 4960, 16, K::MicroTime, S::One, REQUIRED, 0), // lastObservedTime
    // 430 extensions/v1beta1.DaemonSet
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 432), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 60), // status
    // 431 extensions/v1beta1.DaemonSetList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 430), // items
    // 432 extensions/v1beta1.DaemonSetSpec
    f(1, 9556, 8, K::Message, S::One, NULLABLE, 721), // selector
    f(2, 3839, 8, K::Message, S::One, REQUIRED, 349), // template
    f(3, 6758, 14, K::Message, S::One, REQUIRED, 61), // updateStrategy
    f(4, 5708, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    f(5, 3839, 18, K::Int, S::One, SKIP_ZERO, 0), // templateGeneration
    f(6, 2824, 20, K::Int, S::One, NULLABLE, 0), // revisionHistoryLimit
    // 433 extensions/v1beta1.HTTPIngressPath
    f(1, 10038, 4, K::String, S::One, SKIP_ZERO, 0), // path
    f(2, 10237, 7, K::Message, S::One, REQUIRED, 437), // backend
    f(3, 10038, 8, K::String, S::One, NULLABLE, 0), // pathType
    // 434 extensions/v1beta1.HTTPIngressRuleValue
    f(1, 10955, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 433), // paths
    // 435 extensions/v1beta1.IPBlock
    f(1, 10910, 4, K::String, S::One, REQUIRED, 0), // cidr
    f(2, 10674, 6, K::String, S::Repeated, NULLABLE, 0), // except
    // 436 extensions/v1beta1.Ingress
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 443), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 444), // status
    // 437 extensions/v1beta1.IngressBackend
    f(1, 8506, 11, K::String, S::One, SKIP_ZERO, 0), // serviceName
    f(2, 8517, 11, K::IntOrString, S::One, REQUIRED, 0), // servicePort
    f(3, 460, 8, K::Message, S::One, NULLABLE, 403), // resource
    // 438 extensions/v1beta1.IngressList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 436), // items
    // 439 extensions/v1beta1.IngressLoadBalancerIngress
    f(1, 651, 2, K::String, S::One, SKIP_ZERO, 0), // ip
    f(2, 4864, 8, K::String, S::One, SKIP_ZERO, 0), // hostname
    f(4, 10970, 5, K::Message, S::Repeated, NULLABLE, 351), // ports
    // 440 extensions/v1beta1.IngressLoadBalancerStatus
    f(1, 4896, 7, K::Message, S::Repeated, NULLABLE, 439), // ingress
    // 441 extensions/v1beta1.IngressRule
    f(1, 4864, 4, K::String, S::One, SKIP_ZERO, 0), // host
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 442), // 
    // 442 extensions/v1beta1.IngressRuleValue
    f(1, 8297, 4, K::Message, S::One, NULLABLE, 434), // http
    // 443 extensions/v1beta1.IngressSpec
    f(1, 10237, 7, K::Message, S::One, NULLABLE, 437), // backend
    f(2, 10598, 3, K::Message, S::Repeated, NULLABLE, 445), // tls
    f(3, 10980, 5, K::Message, S::Repeated, NULLABLE, 441), // rules
    f(4, 4896, 16, K::String, S::One, NULLABLE, 0), // ingressClassName
    // 444 extensions/v1beta1.IngressStatus
    f(1, 1404, 12, K::Message, S::One, REQUIRED, 440), // loadBalancer
    // 445 extensions/v1beta1.IngressTLS
    f(1, 10930, 5, K::String, S::Repeated, NULLABLE, 0), // hosts
    f(2, 5948, 10, K::String, S::One, SKIP_ZERO, 0), // secretName
    // 446 extensions/v1beta1.NetworkPolicy
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 452), // spec
    // 447 extensions/v1beta1.NetworkPolicyEgressRule
    f(1, 10970, 5, K::Message, S::Repeated, NULLABLE, 451), // ports
    f(2, 7, 2, K::Message, S::Repeated, NULLABLE, 450), // to
    // 448 extensions/v1beta1.NetworkPolicyIngressRule
    f(1, 10970, 5, K::Message, S::Repeated, NULLABLE, 451), // ports
    f(2, 11039, 4, K::Message, S::Repeated, NULLABLE, 450), // from
    // 449 extensions/v1beta1.NetworkPolicyList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 446), // items
    // 450 extensions/v1beta1.NetworkPolicyPeer
    f(1, 8429, 11, K::Message, S::One, NULLABLE, 721), // podSelector
    f(2, 4233, 17, K::Message, S::One, NULLABLE, 721), // namespaceSelector
    f(3, 10377, 7, K::Message, S::One, NULLABLE, 435), // ipBlock
    // 451 extensions/v1beta1.NetworkPolicyPort
    f(1, 10094, 8, K::String, S::One, NULLABLE, 0), // protocol
    f(2, 3133, 4, K::IntOrString, S::One, NULLABLE, 0), // port
    f(3, 10286, 7, K::Int, S::One, NULLABLE, 0), // endPort
    // 452 extensions/v1beta1.NetworkPolicySpec
    f(1, 8429, 11, K::Message, S::One, REQUIRED, 721), // podSelector
    f(2, 4896, 7, K::Message, S::Repeated, NULLABLE, 448), // ingress
    f(3, 10668, 6, K::Message, S::Repeated, NULLABLE, 447), // egress
    f(4, 8440, 11, K::String, S::Repeated, NULLABLE, 0), // policyTypes
    // 453 extensions/v1beta1.ReplicaSet
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 455), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 70), // status
    // 454 extensions/v1beta1.ReplicaSetList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 453), // items
    // 455 extensions/v1beta1.ReplicaSetSpec
    f(1, 10126, 8, K::Int, S::One, NULLABLE, 0), // replicas
    f(2, 9556, 8, K::Message, S::One, NULLABLE, 721), // selector
    f(3, 3839, 8, K::Message, S::One, REQUIRED, 349), // template
    f(4, 5708, 15, K::Int, S::One, SKIP_ZERO, 0), // minReadySeconds
    // 456 flowcontrol/v1.ExemptPriorityLevelConfiguration
    f(1, 1452, 24, K::Int, S::One, NULLABLE, 0), // nominalConcurrencyShares
    f(2, 5678, 15, K::Int, S::One, NULLABLE, 0), // lendablePercent
    // 457 flowcontrol/v1.FlowDistinguisherMethod
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    // 458 flowcontrol/v1.FlowSchema
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 461), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 462), // status
    // 459 flowcontrol/v1.FlowSchemaCondition
    f(1, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(2, 3803, 6, K::String, S::One, SKIP_ZERO, 0), // status
    f(3, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(4, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    // 460 flowcontrol/v1.FlowSchemaList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 458), // items
    // 461 flowcontrol/v1.FlowSchemaSpec
    f(1, 855, 26, K::Message, S::One, REQUIRED, 337), // priorityLevelConfiguration
    f(2, 3533, 18, K::Int, S::One, REQUIRED, 0), // matchingPrecedence
    f(3, 2941, 19, K::Message, S::One, NULLABLE, 457), // distinguisherMethod
    f(4, 10980, 5, K::Message, S::Repeated, NULLABLE, 466), // rules
    // 462 flowcontrol/v1.FlowSchemaStatus
    f(1, 7232, 10, K::Message, S::Repeated, NULLABLE, 459), // conditions
    // 463 flowcontrol/v1.LimitResponse
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 10496, 7, K::Message, S::One, NULLABLE, 470), // queuing
    // 464 flowcontrol/v1.LimitedPriorityLevelConfiguration
    f(1, 1452, 24, K::Int, S::One, REQUIRED | NULLABLE, 0), // nominalConcurrencyShares
    f(2, 7125, 13, K::Message, S::One, REQUIRED, 463), // limitResponse
    f(3, 5678, 15, K::Int, S::One, NULLABLE, 0), // lendablePercent
    f(4, 2110, 21, K::Int, S::One, NULLABLE, 0), // borrowingLimitPercent
    // 465 flowcontrol/v1.NonResourcePolicyRule
    f(1, 11000, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(6, 5723, 15, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // nonResourceURLs
    // 466 flowcontrol/v1.PolicyRulesWithSubjects
    f(1, 10166, 8, K::Message, S::Repeated, REQUIRED | NULLABLE, 473), // subjects
    f(2, 7294, 13, K::Message, S::Repeated, NULLABLE, 471), // resourceRules
    f(3, 5104, 16, K::Message, S::Repeated, NULLABLE, 465), // nonResourceRules
    // 467 flowcontrol/v1.PriorityLevelConfiguration
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 469), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 462), // status
    // 468 flowcontrol/v1.PriorityLevelConfigurationList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 467), // items
    // 469 flowcontrol/v1.PriorityLevelConfigurationSpec
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 10405, 7, K::Message, S::One, NULLABLE, 464), // limited
    f(3, 10680, 6, K::Message, S::One, NULLABLE, 456), // exempt
    // 470 flowcontrol/v1.QueuingConfiguration
    f(1, 10800, 6, K::Int, S::One, REQUIRED, 0), // queues
    f(2, 9870, 8, K::Int, S::One, REQUIRED, 0), // handSize
    f(3, 5216, 16, K::Int, S::One, REQUIRED, 0), // queueLengthLimit
    // 471 flowcontrol/v1.ResourcePolicyRule
    f(1, 11000, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(2, 9178, 9, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // apiGroups
    f(3, 7837, 9, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // resources
    f(4, 7510, 12, K::Bool, S::One, SKIP_ZERO, 0), // clusterScope
    f(5, 8869, 10, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // namespaces
    // 472 flowcontrol/v1.ServiceAccountSubject
    f(1, 4233, 9, K::String, S::One, REQUIRED, 0), // namespace
    f(2, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    // 473 flowcontrol/v1.Subject
    f(1, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    f(2, 6038, 4, K::Message, S::One, NULLABLE, 337), // user
    f(3, 2624, 5, K::Message, S::One, NULLABLE, 337), // group
    f(4, 669, 14, K::Message, S::One, NULLABLE, 472), // serviceAccount
    // 474 flowcontrol/v1beta1.LimitedPriorityLevelConfiguration
    f(1, 1308, 24, K::Int, S::One, REQUIRED, 0), // assuredConcurrencyShares
    f(2, 7125, 13, K::Message, S::One, REQUIRED, 463), // limitResponse
    f(3, 5678, 15, K::Int, S::One, NULLABLE, 0), // lendablePercent
    f(4, 2110, 21, K::Int, S::One, NULLABLE, 0), // borrowingLimitPercent
    // 475 flowcontrol/v1beta1.PriorityLevelConfiguration
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 477), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 462), // status
    // 476 flowcontrol/v1beta1.PriorityLevelConfigurationList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 475), // items
    // 477 flowcontrol/v1beta1.PriorityLevelConfigurationSpec
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 10405, 7, K::Message, S::One, NULLABLE, 474), // limited
    f(3, 10680, 6, K::Message, S::One, NULLABLE, 456), // exempt
    // 478 flowcontrol/v1beta3.LimitedPriorityLevelConfiguration
    f(1, 1452, 24, K::Int, S::One, REQUIRED, 0), // nominalConcurrencyShares
    f(2, 7125, 13, K::Message, S::One, REQUIRED, 463), // limitResponse
    f(3, 5678, 15, K::Int, S::One, NULLABLE, 0), // lendablePercent
    f(4, 2110, 21, K::Int, S::One, NULLABLE, 0), // borrowingLimitPercent
    // 479 flowcontrol/v1beta3.PriorityLevelConfiguration
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 481), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 462), // status
    // 480 flowcontrol/v1beta3.PriorityLevelConfigurationList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 479), // items
    // 481 flowcontrol/v1beta3.PriorityLevelConfigurationSpec
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 10405, 7, K::Message, S::One, NULLABLE, 478), // limited
    f(3, 10680, 6, K::Message, S::One, NULLABLE, 456), // exempt
    // 482 imagepolicy/v1alpha1.ImageReview
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 484), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 485), // status
    // 483 imagepolicy/v1alpha1.ImageReviewContainerSpec
    f(1, 4880, 5, K::String, S::One, SKIP_ZERO, 0), // image
    // 484 imagepolicy/v1alpha1.ImageReviewSpec
    f(1, 8699, 10, K::Message, S::Repeated, NULLABLE, 483), // containers
    f(2, 8044, 11, K::String, S::Map, NULLABLE, 0), // annotations
    f(3, 4233, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    // 485 imagepolicy/v1alpha1.ImageReviewStatus
    f(1, 3893, 7, K::Bool, S::One, REQUIRED, 0), // allowed
    f(2, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(3, 4640, 16, K::String, S::Map, NULLABLE, 0), // auditAnnotations
    // 486 lifecycle/v1alpha1.Eviction
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 494), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 495), // status
    // 487 lifecycle/v1alpha1.EvictionList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 486), // items
    // 488 lifecycle/v1alpha1.EvictionPodReference
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 11107, 3, K::String, S::One, REQUIRED, 0), // uid
    // 489 lifecycle/v1alpha1.EvictionRequest
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 491), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 492), // status
    // 490 lifecycle/v1alpha1.EvictionRequestList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 489), // items
    // 491 lifecycle/v1alpha1.EvictionRequestSpec
    f(1, 377, 6, K::Message, S::One, REQUIRED, 493), // target
    f(2, 8969, 9, K::String, S::One, REQUIRED, 0), // requester
    f(3, 10716, 6, K::String, S::One, REQUIRED, 0), // intent
    // 492 lifecycle/v1alpha1.EvictionRequestStatus
    f(1, 7232, 10, K::Message, S::Repeated, NULLABLE, 713), // conditions
    f(2, 3623, 18, K::Int, S::One, NULLABLE, 0), // observedGeneration
    // 493 lifecycle/v1alpha1.EvictionRequestTarget
    f(1, 2764, 3, K::Message, S::One, NULLABLE, 488), // pod
    // 494 lifecycle/v1alpha1.EvictionSpec
    f(1, 377, 6, K::Message, S::One, REQUIRED, 493), // target
    // 495 lifecycle/v1alpha1.EvictionStatus
    f(1, 7232, 10, K::Message, S::Repeated, NULLABLE, 713), // conditions
    f(2, 3623, 18, K::Int, S::One, NULLABLE, 0), // observedGeneration
    f(3, 8969, 10, K::Message, S::Repeated, NULLABLE, 496), // requesters
    f(4, 5392, 16, K::Message, S::Repeated, NULLABLE, 498), // targetResponders
    f(5, 8989, 10, K::Message, S::Repeated, NULLABLE, 497), // responders
    // 496 lifecycle/v1alpha1.Requester
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10716, 6, K::String, S::One, REQUIRED, 0), // intent
    // 497 lifecycle/v1alpha1.ResponderStatus
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 9610, 9, K::Time, S::One, NULLABLE, 0), // startTime
    f(3, 7008, 13, K::Time, S::One, NULLABLE, 0), // heartbeatTime
    f(4, 1869, 22, K::Time, S::One, NULLABLE, 0), // expectedCompletionTime
    f(5, 6212, 14, K::Time, S::One, NULLABLE, 0), // completionTime
    f(6, 4199, 7, K::String, S::One, NULLABLE, 0), // message
    // 498 lifecycle/v1alpha1.TargetResponder
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 855, 8, K::Int, S::One, REQUIRED | NULLABLE, 0), // priority
    f(3, 10990, 5, K::String, S::One, REQUIRED, 0), // state
    // 499 networking/v1.HTTPIngressPath
    f(1, 10038, 4, K::String, S::One, SKIP_ZERO, 0), // path
    f(2, 10237, 7, K::Message, S::One, REQUIRED, 505), // backend
    f(3, 10038, 8, K::String, S::One, REQUIRED | NULLABLE, 0), // pathType
    // 500 networking/v1.HTTPIngressRuleValue
    f(1, 10955, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 499), // paths
    // 501 networking/v1.IPAddress
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 503), // spec
    // 502 networking/v1.IPAddressList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 501), // items
    // 503 networking/v1.IPAddressSpec
    f(1, 9457, 9, K::Message, S::One, NULLABLE, 515), // parentRef
    // 504 networking/v1.Ingress
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 514), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 444), // status
    // 505 networking/v1.IngressBackend
    f(3, 460, 8, K::Message, S::One, NULLABLE, 403), // resource
    f(4, 669, 7, K::Message, S::One, NULLABLE, 513), // service
    // 506 networking/v1.IngressClass
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 509), // spec
    // 507 networking/v1.IngressClassList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 506), // items
    // 508 networking/v1.IngressClassParametersReference
    f(1, 9178, 8, K::String, S::One, NULLABLE, 0), // apiGroup
    f(2, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    f(3, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(4, 7346, 5, K::String, S::One, REQUIRED | NULLABLE, 0), // scope
    f(5, 4233, 9, K::String, S::One, NULLABLE, 0), // namespace
    // 509 networking/v1.IngressClassSpec
    f(1, 777, 10, K::String, S::One, SKIP_ZERO, 0), // controller
    f(2, 8889, 10, K::Message, S::One, NULLABLE, 508), // parameters
    // 510 networking/v1.IngressList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 504), // items
    // 511 networking/v1.IngressRule
    f(1, 4864, 4, K::String, S::One, SKIP_ZERO, 0), // host
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 512), // 
    // 512 networking/v1.IngressRuleValue
    f(1, 8297, 4, K::Message, S::One, NULLABLE, 500), // http
    // 513 networking/v1.IngressServiceBackend
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 3133, 4, K::Message, S::One, REQUIRED, 516), // port
    // 514 networking/v1.IngressSpec
    f(1, 6254, 14, K::Message, S::One, NULLABLE, 505), // defaultBackend
    f(2, 10598, 3, K::Message, S::Repeated, NULLABLE, 445), // tls
    f(3, 10980, 5, K::Message, S::Repeated, NULLABLE, 511), // rules
    f(4, 4896, 16, K::String, S::One, NULLABLE, 0), // ingressClassName
    // 515 networking/v1.ParentReference
    f(1, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(2, 460, 8, K::String, S::One, SKIP_ZERO, 0), // resource
    f(3, 4233, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(4, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    // 516 networking/v1.ServiceBackendPort
    f(1, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 3605, 6, K::Int, S::One, SKIP_ZERO, 0), // number
    // 517 networking/v1.ServiceCIDR
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 519), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 520), // status
    // 518 networking/v1.ServiceCIDRList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 517), // items
    // 519 networking/v1.ServiceCIDRSpec
    f(1, 10910, 5, K::String, S::Repeated, NULLABLE, 0), // cidrs
    // 520 networking/v1.ServiceCIDRStatus
    f(1, 7232, 10, K::Message, S::Repeated, NULLABLE, 713), // conditions
    // 521 node/v1.Overhead
    f(1, 10062, 8, K::Quantity, S::Map, NULLABLE, 0), // podFixed
    // 522 node/v1.RuntimeClass
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10335, 7, K::String, S::One, REQUIRED, 0), // handler
    f(3, 10022, 8, K::Message, S::One, NULLABLE, 521), // overhead
    f(4, 2320, 10, K::Message, S::One, NULLABLE, 524), // scheduling
    // 523 node/v1.RuntimeClassList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 522), // items
    // 524 node/v1.Scheduling
    f(1, 4250, 12, K::String, S::Map, NULLABLE, 0), // nodeSelector
    f(2, 8583, 11, K::Message, S::Repeated, NULLABLE, 399), // tolerations
    // 525 node/v1alpha1.RuntimeClass
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 527), // spec
    // 526 node/v1alpha1.RuntimeClassList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 525), // items
    // 527 node/v1alpha1.RuntimeClassSpec
    f(1, 5903, 14, K::String, S::One, REQUIRED, 0), // runtimeHandler
    f(2, 10022, 8, K::Message, S::One, NULLABLE, 521), // overhead
    f(3, 2320, 10, K::Message, S::One, NULLABLE, 524), // scheduling
    // 528 policy/v1.Eviction
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 6917, 13, K::Message, S::One, NULLABLE, 715), // deleteOptions
    // 529 policy/v1.PodDisruptionBudget
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 531), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 532), // status
    // 530 policy/v1.PodDisruptionBudgetList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 529), // items
    // 531 policy/v1.PodDisruptionBudgetSpec
    f(1, 7642, 12, K::IntOrString, S::One, NULLABLE, 0), // minAvailable
    f(2, 9556, 8, K::Message, S::One, NULLABLE, 721), // selector
    f(3, 6506, 14, K::IntOrString, S::One, NULLABLE, 0), // maxUnavailable
    f(4, 959, 26, K::String, S::One, NULLABLE, 0), // unhealthyPodEvictionPolicy
    // 532 policy/v1.PodDisruptionBudgetStatus
    f(1, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(2, 6930, 13, K::Time, S::Map, NULLABLE, 0), // disruptedPods
    f(3, 3389, 18, K::Int, S::One, REQUIRED, 0), // disruptionsAllowed
    f(4, 6226, 14, K::Int, S::One, REQUIRED, 0), // currentHealthy
    f(5, 6282, 14, K::Int, S::One, REQUIRED, 0), // desiredHealthy
    f(6, 7558, 12, K::Int, S::One, REQUIRED, 0), // expectedPods
    f(7, 7232, 10, K::Message, S::Repeated, NULLABLE, 713), // conditions
    // 533 rbac/v1.AggregationRule
    f(1, 2524, 20, K::Message, S::Repeated, NULLABLE, 721), // clusterRoleSelectors
    // 534 rbac/v1.ClusterRole
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10980, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 538), // rules
    f(3, 5423, 15, K::Message, S::One, NULLABLE, 533), // aggregationRule
    // 535 rbac/v1.ClusterRoleBinding
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10166, 8, K::Message, S::Repeated, NULLABLE, 542), // subjects
    f(3, 10524, 7, K::Message, S::One, REQUIRED, 541), // roleRef
    // 536 rbac/v1.ClusterRoleBindingList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 535), // items
    // 537 rbac/v1.ClusterRoleList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 534), // items
    // 538 rbac/v1.PolicyRule
    f(1, 11000, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(2, 9178, 9, K::String, S::Repeated, NULLABLE, 0), // apiGroups
    f(3, 7837, 9, K::String, S::Repeated, NULLABLE, 0), // resources
    f(4, 7281, 13, K::String, S::Repeated, NULLABLE, 0), // resourceNames
    f(5, 5723, 15, K::String, S::Repeated, NULLABLE, 0), // nonResourceURLs
    // 539 rbac/v1.Role
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10980, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 538), // rules
    // 540 rbac/v1.RoleList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 539), // items
    // 541 rbac/v1.RoleRef
    f(1, 9178, 8, K::String, S::One, REQUIRED, 0), // apiGroup
    f(2, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    f(3, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    // 542 rbac/v1.Subject
    f(1, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    f(2, 9178, 8, K::String, S::One, SKIP_ZERO, 0), // apiGroup
    f(3, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(4, 4233, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    // 543 rbac/v1alpha1.ClusterRole
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10980, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 547), // rules
    f(3, 5423, 15, K::Message, S::One, NULLABLE, 533), // aggregationRule
    // 544 rbac/v1alpha1.ClusterRoleBinding
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10166, 8, K::Message, S::Repeated, NULLABLE, 550), // subjects
    f(3, 10524, 7, K::Message, S::One, REQUIRED, 541), // roleRef
    // 545 rbac/v1alpha1.ClusterRoleBindingList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 544), // items
    // 546 rbac/v1alpha1.ClusterRoleList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 543), // items
    // 547 rbac/v1alpha1.PolicyRule
    f(1, 11000, 5, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // verbs
    f(3, 9178, 9, K::String, S::Repeated, NULLABLE, 0), // apiGroups
    f(4, 7837, 9, K::String, S::Repeated, NULLABLE, 0), // resources
    f(5, 7281, 13, K::String, S::Repeated, NULLABLE, 0), // resourceNames
    f(6, 5723, 15, K::String, S::Repeated, NULLABLE, 0), // nonResourceURLs
    // 548 rbac/v1alpha1.Role
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 10980, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 547), // rules
    // 549 rbac/v1alpha1.RoleList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 548), // items
    // 550 rbac/v1alpha1.Subject
    f(1, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    f(2, 8066, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    f(3, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(4, 4233, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    // 551 resource/v1.AllocatedDeviceStatus
    f(1, 8729, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 9475, 4, K::String, S::One, REQUIRED, 0), // pool
    f(3, 4768, 6, K::String, S::One, REQUIRED, 0), // device
    f(4, 7232, 10, K::Message, S::Repeated, REQUIRED | NULLABLE, 713), // conditions
    f(5, 3277, 4, K::Raw, S::One, NULLABLE, 0), // data
    f(6, 8385, 11, K::Message, S::One, NULLABLE, 582), // networkData
    f(7, 10566, 7, K::String, S::One, NULLABLE, 0), // shareID
    // 552 resource/v1.AllocationResult
    f(1, 10258, 7, K::Message, S::One, REQUIRED, 561), // devices
    f(3, 4250, 12, K::Message, S::One, NULLABLE, 304), // nodeSelector
    f(5, 2884, 19, K::Time, S::One, NULLABLE, 0), // allocationTimestamp
    // 553 resource/v1.CELDeviceSelector
    f(1, 3461, 10, K::String, S::One, REQUIRED, 0), // expression
    // 554 resource/v1.CapacityRequestPolicy
    f(1, 497, 7, K::Quantity, S::One, REQUIRED | NULLABLE, 0), // default
    f(3, 8616, 11, K::Quantity, S::Repeated, NULLABLE, 0), // validValues
    f(4, 9119, 10, K::Message, S::One, NULLABLE, 555), // validRange
    // 555 resource/v1.CapacityRequestPolicyRange
    f(1, 587, 3, K::Quantity, S::One, NULLABLE, 0), // min
    f(2, 2664, 3, K::Quantity, S::One, NULLABLE, 0), // max
    f(3, 11071, 4, K::Quantity, S::One, NULLABLE, 0), // step
    // 556 resource/v1.CapacityRequirements
    f(1, 10134, 8, K::Quantity, S::Map, NULLABLE, 0), // requests
    // 557 resource/v1.Counter
    f(1, 6068, 5, K::Quantity, S::One, REQUIRED, 0), // value
    // 558 resource/v1.CounterSet
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 9806, 8, K::Message, S::Map, NULLABLE, 557), // counters
    // 559 resource/v1.Device
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 8649, 10, K::Message, S::Map, NULLABLE, 562), // attributes
    f(3, 3317, 8, K::Message, S::Map, NULLABLE, 563), // capacity
    f(4, 4704, 16, K::Message, S::Repeated, NULLABLE, 572), // consumesCounters
    f(5, 9974, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(6, 4250, 12, K::Message, S::One, NULLABLE, 304), // nodeSelector
    f(7, 9734, 8, K::Bool, S::One, NULLABLE, 0), // allNodes
    f(8, 10860, 6, K::Message, S::Repeated, NULLABLE, 398), // taints
    f(9, 8099, 11, K::Bool, S::One, NULLABLE, 0), // bindsToNode
    f(10, 3910, 17, K::String, S::Repeated, NULLABLE, 0), // bindingConditions
    f(11, 1332, 24, K::String, S::Repeated, NULLABLE, 0), // bindingFailureConditions
    f(12, 1260, 24, K::Bool, S::One, NULLABLE, 0), // allowMultipleAllocations
    f(13, 346, 31, K::Message, S::Map, NULLABLE, 586), // nodeAllocatableResourceMappings
    f(14, 1428, 24, K::Message, S::Map, NULLABLE, 585), // nodeAllocatableResources
    // 560 resource/v1.DeviceAllocationConfiguration
    f(1, 158, 6, K::String, S::One, REQUIRED, 0), // source
    f(2, 10134, 8, K::String, S::Repeated, NULLABLE, 0), // requests
    f(3, 0, 0, K::Message, S::One, INLINE | REQUIRED, 570), // 
    // 561 resource/v1.DeviceAllocationResult
    f(1, 10517, 7, K::Message, S::Repeated, NULLABLE, 574), // results
    f(2, 5468, 6, K::Message, S::Repeated, NULLABLE, 560), // config
    // 562 resource/v1.DeviceAttribute
    f(2, 998, 3, K::Int, S::One, NULLABLE, 0), // int
    f(3, 10905, 4, K::Bool, S::One, NULLABLE, 0), // bool
    f(4, 1005, 6, K::String, S::One, NULLABLE, 0), // string
    f(5, 1359, 7, K::String, S::One, NULLABLE, 0), // version
    f(6, 1158, 4, K::Int, S::Repeated, NULLABLE, 0), // ints
    f(7, 10905, 5, K::Bool, S::Repeated, NULLABLE, 0), // bools
    f(8, 10573, 7, K::String, S::Repeated, NULLABLE, 0), // strings
    f(9, 10198, 8, K::String, S::Repeated, NULLABLE, 0), // versions
    // 563 resource/v1.DeviceCapacity
    f(1, 6068, 5, K::Quantity, S::One, REQUIRED, 0), // value
    f(2, 7268, 13, K::Message, S::One, NULLABLE, 554), // requestPolicy
    // 564 resource/v1.DeviceClaim
    f(1, 10134, 8, K::Message, S::Repeated, REQUIRED | NULLABLE, 573), // requests
    f(2, 8143, 11, K::Message, S::Repeated, NULLABLE, 571), // constraints
    f(3, 5468, 6, K::Message, S::Repeated, NULLABLE, 565), // config
    // 565 resource/v1.DeviceClaimConfiguration
    f(1, 10134, 8, K::String, S::Repeated, NULLABLE, 0), // requests
    f(2, 0, 0, K::Message, S::One, INLINE | REQUIRED, 570), // 
    // 566 resource/v1.DeviceClass
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 569), // spec
    // 567 resource/v1.DeviceClassConfiguration
    f(1, 0, 0, K::Message, S::One, INLINE | REQUIRED, 570), // 
    // 568 resource/v1.DeviceClassList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 566), // items
    // 569 resource/v1.DeviceClassSpec
    f(1, 9556, 9, K::Message, S::Repeated, NULLABLE, 575), // selectors
    f(2, 5468, 6, K::Message, S::Repeated, NULLABLE, 567), // config
    f(4, 2584, 20, K::String, S::One, NULLABLE, 0), // extendedResourceName
    // 570 resource/v1.DeviceConfiguration
    f(1, 10752, 6, K::Message, S::One, NULLABLE, 587), // opaque
    // 571 resource/v1.DeviceConstraint
    f(1, 10134, 8, K::String, S::Repeated, NULLABLE, 0), // requests
    f(2, 6478, 14, K::String, S::One, NULLABLE, 0), // matchAttribute
    f(3, 4080, 17, K::String, S::One, NULLABLE, 0), // distinctAttribute
    // 572 resource/v1.DeviceCounterConsumption
    f(1, 8709, 10, K::String, S::One, REQUIRED, 0), // counterSet
    f(2, 9806, 8, K::Message, S::Map, NULLABLE, 557), // counters
    f(3, 2922, 19, K::String, S::Repeated, NULLABLE, 0), // compatibilityGroups
    // 573 resource/v1.DeviceRequest
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10300, 7, K::Message, S::One, NULLABLE, 581), // exactly
    f(3, 6324, 14, K::Message, S::Repeated, NULLABLE, 576), // firstAvailable
    // 574 resource/v1.DeviceRequestAllocationResult
    f(1, 3695, 7, K::String, S::One, REQUIRED, 0), // request
    f(2, 8729, 6, K::String, S::One, REQUIRED, 0), // driver
    f(3, 9475, 4, K::String, S::One, REQUIRED, 0), // pool
    f(4, 4768, 6, K::String, S::One, REQUIRED, 0), // device
    f(5, 8022, 11, K::Bool, S::One, NULLABLE, 0), // adminAccess
    f(6, 8583, 11, K::Message, S::Repeated, NULLABLE, 399), // tolerations
    f(7, 3910, 17, K::String, S::Repeated, NULLABLE, 0), // bindingConditions
    f(8, 1332, 24, K::String, S::Repeated, NULLABLE, 0), // bindingFailureConditions
    f(9, 10566, 7, K::String, S::One, NULLABLE, 0), // shareID
    f(10, 4688, 16, K::Quantity, S::Map, NULLABLE, 0), // consumedCapacity
    f(11, 3785, 18, K::String, S::Repeated, NULLABLE, 0), // skipNodeOperations
    // 575 resource/v1.DeviceSelector
    f(1, 11083, 3, K::Message, S::One, NULLABLE, 553), // cel
    // 576 resource/v1.DeviceSubRequest
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5573, 15, K::String, S::One, REQUIRED, 0), // deviceClassName
    f(3, 9556, 9, K::Message, S::Repeated, NULLABLE, 575), // selectors
    f(4, 6128, 14, K::String, S::One, SKIP_ZERO, 0), // allocationMode
    f(5, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(6, 8583, 11, K::Message, S::Repeated, NULLABLE, 399), // tolerations
    f(7, 3317, 8, K::Message, S::One, NULLABLE, 556), // capacity
    f(8, 4046, 17, K::Message, S::Repeated, NULLABLE, 6), // derivedAttributes
    // 577 resource/v1.DeviceTaintRule
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 579), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 520), // status
    // 578 resource/v1.DeviceTaintRuleList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 577), // items
    // 579 resource/v1.DeviceTaintRuleSpec
    f(1, 6296, 14, K::Message, S::One, NULLABLE, 580), // deviceSelector
    f(2, 10860, 5, K::Message, S::One, REQUIRED, 398), // taint
    // 580 resource/v1.DeviceTaintSelector
    f(2, 8729, 6, K::String, S::One, NULLABLE, 0), // driver
    f(3, 9475, 4, K::String, S::One, NULLABLE, 0), // pool
    f(4, 4768, 6, K::String, S::One, NULLABLE, 0), // device
    // 581 resource/v1.ExactDeviceRequest
    f(1, 5573, 15, K::String, S::One, REQUIRED, 0), // deviceClassName
    f(2, 9556, 9, K::Message, S::Repeated, NULLABLE, 575), // selectors
    f(3, 6128, 14, K::String, S::One, SKIP_ZERO, 0), // allocationMode
    f(4, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(5, 8022, 11, K::Bool, S::One, NULLABLE, 0), // adminAccess
    f(6, 8583, 11, K::Message, S::Repeated, NULLABLE, 399), // tolerations
    f(7, 3317, 8, K::Message, S::One, NULLABLE, 556), // capacity
    f(8, 4046, 17, K::Message, S::Repeated, NULLABLE, 6), // derivedAttributes
    // 582 resource/v1.NetworkDeviceData
    f(1, 7047, 13, K::String, S::One, SKIP_ZERO, 0), // interfaceName
    f(2, 11089, 3, K::String, S::Repeated, NULLABLE, 0), // ips
    f(3, 5633, 15, K::String, S::One, SKIP_ZERO, 0), // hardwareAddress
    // 583 resource/v1.NodeAllocatableMapping
    f(1, 8121, 11, K::String, S::One, NULLABLE, 0), // capacityKey
    f(2, 3317, 18, K::Quantity, S::One, NULLABLE, 0), // capacityMultiplier
    f(3, 4768, 16, K::Quantity, S::One, NULLABLE, 0), // deviceMultiplier
    // 584 resource/v1.NodeAllocatableOverhead
    f(1, 10770, 6, K::Quantity, S::One, NULLABLE, 0), // perPod
    f(2, 7678, 12, K::Quantity, S::One, NULLABLE, 0), // perContainer
    // 585 resource/v1.NodeAllocatableResource
    f(3, 10419, 7, K::Message, S::One, NULLABLE, 583), // mapping
    f(4, 10022, 8, K::Message, S::One, NULLABLE, 584), // overhead
    // 586 resource/v1.NodeAllocatableResourceMapping
    f(1, 8121, 11, K::String, S::One, NULLABLE, 0), // capacityKey
    f(2, 2424, 20, K::Quantity, S::One, NULLABLE, 0), // allocationMultiplier
    // 587 resource/v1.OpaqueDeviceConfiguration
    f(1, 8729, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 8889, 10, K::Raw, S::One, REQUIRED, 0), // parameters
    // 588 resource/v1.ResourceClaim
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 591), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 592), // status
    // 589 resource/v1.ResourceClaimConsumerReference
    f(1, 9178, 8, K::String, S::One, SKIP_ZERO, 0), // apiGroup
    f(3, 460, 8, K::String, S::One, REQUIRED, 0), // resource
    f(4, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(5, 11107, 3, K::String, S::One, REQUIRED, 0), // uid
    // 590 resource/v1.ResourceClaimList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 588), // items
    // 591 resource/v1.ResourceClaimSpec
    f(1, 10258, 7, K::Message, S::One, REQUIRED, 564), // devices
    // 592 resource/v1.ResourceClaimStatus
    f(1, 2424, 10, K::Message, S::One, NULLABLE, 552), // allocation
    f(2, 8495, 11, K::Message, S::Repeated, NULLABLE, 589), // reservedFor
    f(4, 10258, 7, K::Message, S::Repeated, NULLABLE, 551), // devices
    // 593 resource/v1.ResourceClaimTemplate
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 595), // spec
    // 594 resource/v1.ResourceClaimTemplateList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 593), // items
    // 595 resource/v1.ResourceClaimTemplateSpec
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 591), // spec
    // 596 resource/v1.ResourcePool
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 8799, 10, K::Int, S::One, REQUIRED, 0), // generation
    f(3, 3731, 18, K::Int, S::One, REQUIRED, 0), // resourceSliceCount
    // 597 resource/v1.ResourceSlice
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 599), // spec
    // 598 resource/v1.ResourceSliceList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 597), // items
    // 599 resource/v1.ResourceSliceSpec
    f(1, 8729, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 9475, 4, K::Message, S::One, REQUIRED, 596), // pool
    f(3, 9974, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(4, 4250, 12, K::Message, S::One, NULLABLE, 304), // nodeSelector
    f(5, 9734, 8, K::Bool, S::One, NULLABLE, 0), // allNodes
    f(6, 10258, 7, K::Message, S::Repeated, NULLABLE, 559), // devices
    f(7, 1957, 22, K::Bool, S::One, NULLABLE, 0), // perDeviceNodeSelection
    f(8, 6674, 14, K::Message, S::Repeated, NULLABLE, 558), // sharedCounters
    f(9, 1935, 22, K::String, S::One, NULLABLE, 0), // partitionTypeAttribute
    f(10, 3785, 18, K::String, S::Repeated, NULLABLE, 0), // skipNodeOperations
    // 600 resource/v1alpha3.PartitionTypeStatus
    f(1, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(2, 7882, 5, K::Int, S::One, NULLABLE, 0), // total
    f(3, 8033, 11, K::Int, S::One, NULLABLE, 0), // allocatable
    f(4, 8649, 9, K::String, S::One, SKIP_ZERO, 0), // attribute
    // 601 resource/v1alpha3.PoolStatus
    f(1, 8729, 6, K::String, S::One, SKIP_ZERO, 0), // driver
    f(2, 10078, 8, K::String, S::One, SKIP_ZERO, 0), // poolName
    f(3, 9974, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(4, 7882, 12, K::Int, S::One, NULLABLE, 0), // totalDevices
    f(5, 4624, 16, K::Int, S::One, NULLABLE, 0), // allocatedDevices
    f(6, 3859, 16, K::Int, S::One, NULLABLE, 0), // availableDevices
    f(7, 3857, 18, K::Int, S::One, NULLABLE, 0), // unavailableDevices
    f(8, 3731, 18, K::Int, S::One, NULLABLE, 0), // resourceSliceCount
    f(9, 8799, 10, K::Int, S::One, REQUIRED, 0), // generation
    f(10, 6053, 15, K::String, S::One, NULLABLE, 0), // validationError
    f(11, 5136, 16, K::Message, S::Repeated, NULLABLE, 600), // partitionSummary
    f(13, 5296, 16, K::Message, S::One, NULLABLE, 607), // shareableSummary
    // 602 resource/v1alpha3.ResourcePoolStatusRequest
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 604), // spec
    f(3, 3803, 6, K::Message, S::One, NULLABLE, 605), // status
    // 603 resource/v1alpha3.ResourcePoolStatusRequestList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 602), // items
    // 604 resource/v1alpha3.ResourcePoolStatusRequestSpec
    f(1, 8729, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 10078, 8, K::String, S::One, NULLABLE, 0), // poolName
    f(3, 7125, 5, K::Int, S::One, NULLABLE, 0), // limit
    f(4, 497, 29, K::String, S::One, NULLABLE, 0), // defaultPartitionTypeAttribute
    // 605 resource/v1alpha3.ResourcePoolStatusRequestStatus
    f(2, 10965, 5, K::Message, S::Repeated, NULLABLE, 601), // pools
    f(3, 7232, 10, K::Message, S::Repeated, NULLABLE, 713), // conditions
    f(6, 9475, 9, K::Int, S::One, NULLABLE, 0), // poolCount
    // 606 resource/v1alpha3.ShareableCapacityStatus
    f(1, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 7882, 5, K::Quantity, S::One, NULLABLE, 0), // total
    f(3, 4688, 8, K::Quantity, S::One, NULLABLE, 0), // consumed
    f(4, 3228, 9, K::Quantity, S::One, NULLABLE, 0), // available
    // 607 resource/v1alpha3.ShareableSummaryStatus
    f(1, 2173, 21, K::Int, S::One, NULLABLE, 0), // fullyAvailableDevices
    f(2, 1087, 25, K::Int, S::One, NULLABLE, 0), // partiallyAvailableDevices
    f(3, 3317, 8, K::Message, S::Repeated, NULLABLE, 606), // capacity
    // 608 resource/v1beta1.BasicDevice
    f(1, 8649, 10, K::Message, S::Map, NULLABLE, 562), // attributes
    f(2, 3317, 8, K::Message, S::Map, NULLABLE, 563), // capacity
    f(3, 4704, 16, K::Message, S::Repeated, NULLABLE, 572), // consumesCounters
    f(4, 9974, 8, K::String, S::One, NULLABLE, 0), // nodeName
    f(5, 4250, 12, K::Message, S::One, NULLABLE, 304), // nodeSelector
    f(6, 9734, 8, K::Bool, S::One, NULLABLE, 0), // allNodes
    f(7, 10860, 6, K::Message, S::Repeated, NULLABLE, 398), // taints
    f(8, 8099, 11, K::Bool, S::One, NULLABLE, 0), // bindsToNode
    f(9, 3910, 17, K::String, S::Repeated, NULLABLE, 0), // bindingConditions
    f(10, 1332, 24, K::String, S::Repeated, NULLABLE, 0), // bindingFailureConditions
    f(11, 1260, 24, K::Bool, S::One, NULLABLE, 0), // allowMultipleAllocations
    f(12, 346, 31, K::Message, S::Map, NULLABLE, 586), // nodeAllocatableResourceMappings
    f(14, 1428, 24, K::Message, S::Map, NULLABLE, 585), // nodeAllocatableResources
    // 609 resource/v1beta1.Device
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10900, 5, K::Message, S::One, NULLABLE, 608), // basic
    // 610 resource/v1beta1.DeviceClaim
    f(1, 10134, 8, K::Message, S::Repeated, REQUIRED | NULLABLE, 611), // requests
    f(2, 8143, 11, K::Message, S::Repeated, NULLABLE, 571), // constraints
    f(3, 5468, 6, K::Message, S::Repeated, NULLABLE, 565), // config
    // 611 resource/v1beta1.DeviceRequest
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5573, 15, K::String, S::One, REQUIRED, 0), // deviceClassName
    f(3, 9556, 9, K::Message, S::Repeated, NULLABLE, 575), // selectors
    f(4, 6128, 14, K::String, S::One, SKIP_ZERO, 0), // allocationMode
    f(5, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(6, 8022, 11, K::Bool, S::One, NULLABLE, 0), // adminAccess
    f(7, 6324, 14, K::Message, S::Repeated, NULLABLE, 612), // firstAvailable
    f(8, 8583, 11, K::Message, S::Repeated, NULLABLE, 399), // tolerations
    f(9, 3317, 8, K::Message, S::One, NULLABLE, 556), // capacity
    f(10, 4046, 17, K::Message, S::Repeated, NULLABLE, 6), // derivedAttributes
    // 612 resource/v1beta1.DeviceSubRequest
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5573, 15, K::String, S::One, REQUIRED, 0), // deviceClassName
    f(3, 9556, 9, K::Message, S::Repeated, NULLABLE, 575), // selectors
    f(4, 6128, 14, K::String, S::One, SKIP_ZERO, 0), // allocationMode
    f(5, 631, 5, K::Int, S::One, SKIP_ZERO, 0), // count
    f(7, 8583, 11, K::Message, S::Repeated, NULLABLE, 399), // tolerations
    f(8, 3317, 8, K::Message, S::One, NULLABLE, 556), // capacity
    f(9, 4046, 17, K::Message, S::Repeated, NULLABLE, 6), // derivedAttributes
    // 613 resource/v1beta1.ResourceClaim
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 615), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 592), // status
    // 614 resource/v1beta1.ResourceClaimList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 613), // items
    // 615 resource/v1beta1.ResourceClaimSpec
    f(1, 10258, 7, K::Message, S::One, REQUIRED, 610), // devices
    // 616 resource/v1beta1.ResourceClaimTemplate
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 618), // spec
    // 617 resource/v1beta1.ResourceClaimTemplateList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 616), // items
    // 618 resource/v1beta1.ResourceClaimTemplateSpec
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 615), // spec
    // 619 resource/v1beta1.ResourceSlice
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 621), // spec
    // 620 resource/v1beta1.ResourceSliceList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 619), // items
    // 621 resource/v1beta1.ResourceSliceSpec
    f(1, 8729, 6, K::String, S::One, REQUIRED, 0), // driver
    f(2, 9475, 4, K::Message, S::One, REQUIRED, 596), // pool
    f(3, 9974, 8, K::String, S::One, SKIP_ZERO, 0), // nodeName
    f(4, 4250, 12, K::Message, S::One, NULLABLE, 304), // nodeSelector
    f(5, 9734, 8, K::Bool, S::One, SKIP_ZERO, 0), // allNodes
    f(6, 10258, 7, K::Message, S::Repeated, NULLABLE, 609), // devices
    f(7, 1957, 22, K::Bool, S::One, NULLABLE, 0), // perDeviceNodeSelection
    f(8, 6674, 14, K::Message, S::Repeated, NULLABLE, 558), // sharedCounters
    f(9, 1935, 22, K::String, S::One, NULLABLE, 0), // partitionTypeAttribute
    f(10, 3785, 18, K::String, S::Repeated, NULLABLE, 0), // skipNodeOperations
    // 622 scheduling/v1.PriorityClass
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 6068, 5, K::Int, S::One, REQUIRED, 0), // value
    f(3, 6995, 13, K::Bool, S::One, SKIP_ZERO, 0), // globalDefault
    f(4, 8220, 11, K::String, S::One, SKIP_ZERO, 0), // description
    f(5, 5168, 16, K::String, S::One, NULLABLE, 0), // preemptionPolicy
    // 623 scheduling/v1.PriorityClassList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 622), // items
    // 624 scheduling/v1alpha2.GangSchedulingPolicy
    f(1, 9942, 8, K::Int, S::One, REQUIRED, 0), // minCount
    // 625 scheduling/v1alpha2.PodGroup
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 630), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 631), // status
    // 626 scheduling/v1alpha2.PodGroupList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 625), // items
    // 627 scheduling/v1alpha2.PodGroupResourceClaim
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 4437, 17, K::String, S::One, NULLABLE, 0), // resourceClaimName
    f(3, 1112, 25, K::String, S::One, NULLABLE, 0), // resourceClaimTemplateName
    // 628 scheduling/v1alpha2.PodGroupSchedulingConstraints
    f(1, 1137, 8, K::Message, S::Repeated, NULLABLE, 634), // topology
    // 629 scheduling/v1alpha2.PodGroupSchedulingPolicy
    f(1, 10900, 5, K::Message, S::One, NULLABLE, 52), // basic
    f(2, 11043, 4, K::Message, S::One, NULLABLE, 624), // gang
    // 630 scheduling/v1alpha2.PodGroupSpec
    f(1, 3074, 19, K::Message, S::One, REQUIRED | NULLABLE, 633), // podGroupTemplateRef
    f(2, 5264, 16, K::Message, S::One, REQUIRED, 629), // schedulingPolicy
    f(3, 2320, 21, K::Message, S::One, NULLABLE, 628), // schedulingConstraints
    f(4, 6604, 14, K::Message, S::Repeated, NULLABLE, 627), // resourceClaims
    f(5, 6310, 14, K::String, S::One, NULLABLE, 0), // disruptionMode
    f(6, 4352, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(7, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    // 631 scheduling/v1alpha2.PodGroupStatus
    f(1, 7232, 10, K::Message, S::Repeated, NULLABLE, 713), // conditions
    f(2, 2299, 21, K::Message, S::Repeated, NULLABLE, 341), // resourceClaimStatuses
    // 632 scheduling/v1alpha2.PodGroupTemplate
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5264, 16, K::Message, S::One, REQUIRED, 629), // schedulingPolicy
    f(3, 2320, 21, K::Message, S::One, REQUIRED | NULLABLE, 628), // schedulingConstraints
    f(4, 6604, 14, K::Message, S::Repeated, NULLABLE, 627), // resourceClaims
    f(5, 6310, 14, K::String, S::One, NULLABLE, 0), // disruptionMode
    f(6, 4352, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(7, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    // 633 scheduling/v1alpha2.PodGroupTemplateReference
    f(1, 7966, 8, K::Message, S::One, REQUIRED | NULLABLE, 638), // workload
    // 634 scheduling/v1alpha2.TopologyConstraint
    f(1, 1033, 3, K::String, S::One, REQUIRED, 0), // key
    // 635 scheduling/v1alpha2.TypedLocalObjectReference
    f(1, 9178, 8, K::String, S::One, SKIP_ZERO, 0), // apiGroup
    f(2, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    f(3, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    // 636 scheduling/v1alpha2.Workload
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 639), // spec
    // 637 scheduling/v1alpha2.WorkloadList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 636), // items
    // 638 scheduling/v1alpha2.WorkloadPodGroupTemplateReference
    f(1, 7966, 12, K::String, S::One, REQUIRED, 0), // workloadName
    f(2, 2764, 20, K::String, S::One, REQUIRED, 0), // podGroupTemplateName
    // 639 scheduling/v1alpha2.WorkloadSpec
    f(1, 6891, 13, K::Message, S::One, NULLABLE, 635), // controllerRef
    f(2, 4335, 17, K::Message, S::Repeated, REQUIRED | NULLABLE, 632), // podGroupTemplates
    // 640 scheduling/v1alpha3.CompositeDisruptionMode
    f(1, 10836, 6, K::Message, S::One, NULLABLE, 52), // single
    f(2, 468, 3, K::Message, S::One, NULLABLE, 52), // all
    // 641 scheduling/v1alpha3.CompositeGangSchedulingPolicy
    f(1, 7177, 13, K::Int, S::One, REQUIRED, 0), // minGroupCount
    // 642 scheduling/v1alpha3.CompositePodGroup
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 645), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 520), // status
    // 643 scheduling/v1alpha3.CompositePodGroupList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 642), // items
    // 644 scheduling/v1alpha3.CompositePodGroupSchedulingPolicy
    f(1, 10900, 5, K::Message, S::One, NULLABLE, 52), // basic
    f(2, 11043, 4, K::Message, S::One, NULLABLE, 641), // gang
    // 645 scheduling/v1alpha3.CompositePodGroupSpec
    f(1, 724, 27, K::String, S::One, NULLABLE, 0), // parentCompositePodGroupName
    f(2, 8638, 11, K::Message, S::One, REQUIRED | NULLABLE, 655), // workloadRef
    f(3, 5264, 16, K::Message, S::One, REQUIRED, 644), // schedulingPolicy
    f(4, 2320, 21, K::Message, S::One, NULLABLE, 628), // schedulingConstraints
    f(5, 6310, 14, K::Message, S::One, NULLABLE, 640), // disruptionMode
    f(6, 4352, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(7, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    f(8, 5168, 16, K::String, S::One, NULLABLE, 0), // preemptionPolicy
    // 646 scheduling/v1alpha3.CompositePodGroupTemplate
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5264, 16, K::Message, S::One, REQUIRED, 644), // schedulingPolicy
    f(3, 2320, 21, K::Message, S::One, NULLABLE, 628), // schedulingConstraints
    f(4, 6310, 14, K::Message, S::One, NULLABLE, 640), // disruptionMode
    f(5, 4352, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(6, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    f(7, 5168, 16, K::String, S::One, NULLABLE, 0), // preemptionPolicy
    f(8, 4335, 17, K::Message, S::Repeated, NULLABLE, 650), // podGroupTemplates
    f(9, 751, 26, K::Message, S::Repeated, NULLABLE, 646), // compositePodGroupTemplates
    // 647 scheduling/v1alpha3.PodGroup
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 649), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 631), // status
    // 648 scheduling/v1alpha3.PodGroupList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 647), // items
    // 649 scheduling/v1alpha3.PodGroupSpec
    f(1, 724, 27, K::String, S::One, NULLABLE, 0), // parentCompositePodGroupName
    f(2, 8638, 11, K::Message, S::One, NULLABLE, 655), // workloadRef
    f(3, 5264, 16, K::Message, S::One, REQUIRED, 629), // schedulingPolicy
    f(4, 2320, 21, K::Message, S::One, NULLABLE, 628), // schedulingConstraints
    f(5, 6604, 14, K::Message, S::Repeated, NULLABLE, 627), // resourceClaims
    f(6, 6310, 14, K::Message, S::One, NULLABLE, 640), // disruptionMode
    f(7, 4352, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(8, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    f(9, 5168, 16, K::String, S::One, NULLABLE, 0), // preemptionPolicy
    // 650 scheduling/v1alpha3.PodGroupTemplate
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 5264, 16, K::Message, S::One, REQUIRED, 629), // schedulingPolicy
    f(3, 2320, 21, K::Message, S::One, REQUIRED | NULLABLE, 628), // schedulingConstraints
    f(4, 6604, 14, K::Message, S::Repeated, NULLABLE, 627), // resourceClaims
    f(5, 6310, 14, K::Message, S::One, NULLABLE, 640), // disruptionMode
    f(6, 4352, 17, K::String, S::One, SKIP_ZERO, 0), // priorityClassName
    f(7, 855, 8, K::Int, S::One, NULLABLE, 0), // priority
    f(8, 5168, 16, K::String, S::One, NULLABLE, 0), // preemptionPolicy
    // 651 scheduling/v1alpha3.Workload
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 656), // spec
    // 652 scheduling/v1alpha3.WorkloadList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 651), // items
    // 653 scheduling/v1alpha3.WorkloadPodGroupGangSchedulingPolicy
    f(1, 9942, 8, K::Int, S::One, NULLABLE, 0), // minCount
    // 654 scheduling/v1alpha3.WorkloadPodGroupSchedulingPolicy
    f(1, 10900, 5, K::Message, S::One, NULLABLE, 52), // basic
    f(2, 11043, 4, K::Message, S::One, NULLABLE, 653), // gang
    // 655 scheduling/v1alpha3.WorkloadReference
    f(1, 7966, 12, K::String, S::One, REQUIRED, 0), // workloadName
    f(2, 7858, 12, K::String, S::One, REQUIRED, 0), // templateName
    // 656 scheduling/v1alpha3.WorkloadSpec
    f(1, 6891, 13, K::Message, S::One, NULLABLE, 635), // controllerRef
    f(2, 4335, 17, K::Message, S::Repeated, REQUIRED | NULLABLE, 650), // podGroupTemplates
    f(3, 751, 26, K::Message, S::Repeated, NULLABLE, 646), // compositePodGroupTemplates
    // 657 storage/v1.CSIDriver
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 659), // spec
    // 658 storage/v1.CSIDriverList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 657), // items
    // 659 storage/v1.CSIDriverSpec
    f(1, 6142, 14, K::Bool, S::One, NULLABLE, 0), // attachRequired
    f(2, 6548, 14, K::Bool, S::One, NULLABLE, 0), // podInfoOnMount
    f(3, 2864, 20, K::String, S::Repeated, NULLABLE, 0), // volumeLifecycleModes
    f(4, 5978, 15, K::Bool, S::One, NULLABLE, 0), // storageCapacity
    f(5, 6982, 13, K::String, S::One, NULLABLE, 0), // fsGroupPolicy
    f(6, 7398, 13, K::Message, S::Repeated, NULLABLE, 671), // tokenRequests
    f(7, 4420, 17, K::Bool, S::One, NULLABLE, 0), // requiresRepublish
    f(8, 7762, 12, K::Bool, S::One, NULLABLE, 0), // seLinuxMount
    f(9, 249, 34, K::Int, S::One, NULLABLE, 0), // nodeAllocatableUpdatePeriodSeconds
    f(10, 669, 28, K::Bool, S::One, NULLABLE, 0), // serviceAccountTokenInSecrets
    f(11, 555, 29, K::Bool, S::One, NULLABLE, 0), // preventPodSchedulingIfMissing
    // 660 storage/v1.CSINode
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 663), // spec
    f(3, 3803, 6, K::Message, S::One, 0, 664), // status
    // 661 storage/v1.CSINodeDriver
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10746, 6, K::String, S::One, REQUIRED, 0), // nodeID
    f(3, 7870, 12, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // topologyKeys
    f(4, 8033, 11, K::Message, S::One, NULLABLE, 680), // allocatable
    // 662 storage/v1.CSINodeList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 660), // items
    // 663 storage/v1.CSINodeSpec
    f(1, 10279, 7, K::Message, S::Repeated, REQUIRED | NULLABLE, 661), // drivers
    // 664 storage/v1.CSINodeStatus
    f(1, 7372, 13, K::Message, S::Repeated, NULLABLE, 669), // storageHealth
    // 665 storage/v1.CSIStorageCapacity
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 7666, 12, K::Message, S::One, NULLABLE, 721), // nodeTopology
    f(3, 5344, 16, K::String, S::One, REQUIRED, 0), // storageClassName
    f(4, 3317, 8, K::Quantity, S::One, NULLABLE, 0), // capacity
    f(5, 4182, 17, K::Quantity, S::One, NULLABLE, 0), // maximumVolumeSize
    // 666 storage/v1.CSIStorageCapacityList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 665), // items
    // 667 storage/v1.StorageClass
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 8451, 11, K::String, S::One, REQUIRED, 0), // provisioner
    f(3, 8889, 10, K::String, S::Map, NULLABLE, 0), // parameters
    f(4, 7255, 13, K::String, S::One, NULLABLE, 0), // reclaimPolicy
    f(5, 7654, 12, K::String, S::Repeated, NULLABLE, 0), // mountOptions
    f(6, 2444, 20, K::Bool, S::One, NULLABLE, 0), // allowVolumeExpansion
    f(7, 4590, 17, K::String, S::One, NULLABLE, 0), // volumeBindingMode
    f(8, 3893, 17, K::Message, S::Repeated, NULLABLE, 401), // allowedTopologies
    // 668 storage/v1.StorageClassList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 667), // items
    // 669 storage/v1.StorageHealth
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 4848, 16, K::Message, S::Repeated, NULLABLE, 670), // healthConditions
    // 670 storage/v1.StorageHealthCondition
    f(1, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(2, 10806, 6, K::String, S::One, REQUIRED, 0), // reason
    f(3, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(4, 7989, 10, K::String, S::One, NULLABLE, 0), // accessMode
    f(5, 9129, 10, K::String, S::One, NULLABLE, 0), // volumeMode
    f(6, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    // 671 storage/v1.TokenRequest
    f(1, 9187, 8, K::String, S::One, REQUIRED, 0), // audience
    f(2, 4097, 17, K::Int, S::One, NULLABLE, 0), // expirationSeconds
    // 672 storage/v1.VolumeAttachment
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 675), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 676), // status
    // 673 storage/v1.VolumeAttachmentList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 672), // items
    // 674 storage/v1.VolumeAttachmentSource
    f(1, 2724, 20, K::String, S::One, NULLABLE, 0), // persistentVolumeName
    f(2, 4912, 16, K::Message, S::One, NULLABLE, 322), // inlineVolumeSpec
    // 675 storage/v1.VolumeAttachmentSpec
    f(1, 9758, 8, K::String, S::One, REQUIRED, 0), // attacher
    f(2, 158, 6, K::Message, S::One, REQUIRED, 674), // source
    f(3, 9974, 8, K::String, S::One, REQUIRED, 0), // nodeName
    // 676 storage/v1.VolumeAttachmentStatus
    f(1, 9750, 8, K::Bool, S::One, REQUIRED, 0), // attached
    f(2, 3263, 18, K::String, S::Map, NULLABLE, 0), // attachmentMetadata
    f(3, 8088, 11, K::Message, S::One, NULLABLE, 679), // attachError
    f(4, 8231, 11, K::Message, S::One, NULLABLE, 679), // detachError
    // 677 storage/v1.VolumeAttributesClass
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 8729, 10, K::String, S::One, REQUIRED, 0), // driverName
    f(3, 8889, 10, K::String, S::Map, NULLABLE, 0), // parameters
    // 678 storage/v1.VolumeAttributesClassList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 677), // items
    // 679 storage/v1.VolumeError
    f(1, 1607, 4, K::Time, S::One, REQUIRED, 0), // time
    f(2, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(3, 9259, 9, K::Int, S::One, NULLABLE, 0), // errorCode
    // 680 storage/v1.VolumeNodeResources
    f(1, 631, 5, K::Int, S::One, NULLABLE, 0), // count
    // 681 storagemigration/v1.StorageVersionMigration
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 683), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 684), // status
    // 682 storagemigration/v1.StorageVersionMigrationList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 681), // items
    // 683 storagemigration/v1.StorageVersionMigrationSpec
    f(1, 460, 8, K::Message, S::One, REQUIRED, 717), // resource
    // 684 storagemigration/v1.StorageVersionMigrationStatus
    f(1, 7232, 10, K::Message, S::Repeated, NULLABLE, 713), // conditions
    f(2, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    // 685 apiextensions/v1.ConversionRequest
    f(1, 11107, 3, K::String, S::One, REQUIRED, 0), // uid
    f(2, 4063, 17, K::String, S::One, REQUIRED, 0), // desiredAPIVersion
    f(3, 10454, 7, K::Raw, S::Repeated, REQUIRED | NULLABLE, 0), // objects
    // 686 apiextensions/v1.ConversionResponse
    f(1, 11107, 3, K::String, S::One, REQUIRED, 0), // uid
    f(2, 4720, 16, K::Raw, S::Repeated, REQUIRED | NULLABLE, 0), // convertedObjects
    f(3, 10517, 6, K::Message, S::One, REQUIRED, 733), // result
    // 687 apiextensions/v1.ConversionReview
    f(1, 3695, 7, K::Message, S::One, NULLABLE, 685), // request
    f(2, 7726, 8, K::Message, S::One, NULLABLE, 686), // response
    // 688 apiextensions/v1.CustomResourceColumnDefinition
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(3, 10692, 6, K::String, S::One, SKIP_ZERO, 0), // format
    f(4, 8220, 11, K::String, S::One, SKIP_ZERO, 0), // description
    f(5, 855, 8, K::Int, S::One, SKIP_ZERO, 0), // priority
    f(6, 9902, 8, K::String, S::One, REQUIRED, 0), // jsonPath
    // 689 apiextensions/v1.CustomResourceConversion
    f(1, 10158, 8, K::String, S::One, REQUIRED, 0), // strategy
    f(2, 10222, 7, K::Message, S::One, NULLABLE, 707), // webhook
    // 690 apiextensions/v1.CustomResourceDefinition
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 694), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 695), // status
    // 691 apiextensions/v1.CustomResourceDefinitionCondition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(4, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(6, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    // 692 apiextensions/v1.CustomResourceDefinitionList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 690), // items
    // 693 apiextensions/v1.CustomResourceDefinitionNames
    f(1, 10776, 6, K::String, S::One, REQUIRED, 0), // plural
    f(2, 5312, 8, K::String, S::One, SKIP_ZERO, 0), // singular
    f(3, 9029, 10, K::String, S::Repeated, NULLABLE, 0), // shortNames
    f(4, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    f(5, 9910, 8, K::String, S::One, SKIP_ZERO, 0), // listKind
    f(6, 8669, 10, K::String, S::Repeated, NULLABLE, 0), // categories
    // 694 apiextensions/v1.CustomResourceDefinitionSpec
    f(1, 2624, 5, K::String, S::One, REQUIRED, 0), // group
    f(3, 4233, 5, K::Message, S::One, REQUIRED, 693), // names
    f(4, 7346, 5, K::String, S::One, REQUIRED, 0), // scope
    f(7, 10198, 8, K::Message, S::Repeated, REQUIRED | NULLABLE, 696), // versions
    f(9, 1356, 10, K::Message, S::One, NULLABLE, 689), // conversion
    f(10, 2278, 21, K::Bool, S::One, SKIP_ZERO, 0), // preserveUnknownFields
    // 695 apiextensions/v1.CustomResourceDefinitionStatus
    f(1, 7232, 10, K::Message, S::Repeated, REQUIRED | NULLABLE, 691), // conditions
    f(2, 6800, 13, K::Message, S::One, REQUIRED, 693), // acceptedNames
    f(3, 6688, 14, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // storedVersions
    f(4, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    // 696 apiextensions/v1.CustomResourceDefinitionVersion
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 3625, 6, K::Bool, S::One, REQUIRED, 0), // served
    f(3, 3821, 7, K::Bool, S::One, REQUIRED, 0), // storage
    f(4, 10231, 6, K::Message, S::One, NULLABLE, 699), // schema
    f(5, 7834, 12, K::Message, S::One, NULLABLE, 698), // subresources
    f(6, 1212, 24, K::Message, S::Repeated, NULLABLE, 688), // additionalPrinterColumns
    f(7, 1380, 10, K::Bool, S::One, SKIP_ZERO, 0), // deprecated
    f(8, 3371, 18, K::String, S::One, NULLABLE, 0), // deprecationWarning
    f(9, 5280, 16, K::Message, S::Repeated, NULLABLE, 705), // selectableFields
    // 697 apiextensions/v1.CustomResourceSubresourceScale
    f(1, 5328, 16, K::String, S::One, REQUIRED, 0), // specReplicasPath
    f(2, 3803, 18, K::String, S::One, REQUIRED, 0), // statusReplicasPath
    f(3, 4131, 17, K::String, S::One, NULLABLE, 0), // labelSelectorPath
    // 698 apiextensions/v1.CustomResourceSubresources
    f(1, 3803, 6, K::Message, S::One, NULLABLE, 52), // status
    f(2, 6618, 5, K::Message, S::One, NULLABLE, 697), // scale
    // 699 apiextensions/v1.CustomResourceValidation
    f(1, 5768, 15, K::Message, S::One, NULLABLE, 701), // openAPIV3Schema
    // 700 apiextensions/v1.ExternalDocumentation
    f(1, 8220, 11, K::String, S::One, SKIP_ZERO, 0), // description
    f(2, 11110, 3, K::String, S::One, SKIP_ZERO, 0), // url
    // 701 apiextensions/v1.JSONSchemaProps
    f(1, 1564, 2, K::String, S::One, SKIP_ZERO, 0), // id
    f(2, 10230, 7, K::String, S::One, SKIP_ZERO, 0), // $schema
    f(3, 11015, 4, K::String, S::One, NULLABLE, 0), // $ref
    f(4, 8220, 11, K::String, S::One, SKIP_ZERO, 0), // description
    f(5, 2085, 4, K::String, S::One, SKIP_ZERO, 0), // type
    f(6, 10692, 6, K::String, S::One, SKIP_ZERO, 0), // format
    f(7, 10995, 5, K::String, S::One, SKIP_ZERO, 0), // title
    f(8, 497, 7, K::Raw, S::One, NULLABLE, 0), // default
    f(9, 4182, 7, K::Double, S::One, NULLABLE, 0), // maximum
    f(10, 4800, 16, K::Bool, S::One, SKIP_ZERO, 0), // exclusiveMaximum
    f(11, 10440, 7, K::Double, S::One, NULLABLE, 0), // minimum
    f(12, 4816, 16, K::Bool, S::One, SKIP_ZERO, 0), // exclusiveMinimum
    f(13, 9394, 9, K::Int, S::One, NULLABLE, 0), // maxLength
    f(14, 9403, 9, K::Int, S::One, NULLABLE, 0), // minLength
    f(15, 4318, 7, K::String, S::One, SKIP_ZERO, 0), // pattern
    f(16, 9918, 8, K::Int, S::One, NULLABLE, 0), // maxItems
    f(17, 9950, 8, K::Int, S::One, NULLABLE, 0), // minItems
    f(18, 8605, 11, K::Bool, S::One, SKIP_ZERO, 0), // uniqueItems
    f(19, 8849, 10, K::Double, S::One, NULLABLE, 0), // multipleOf
    f(20, 11031, 4, K::Raw, S::Repeated, NULLABLE, 0), // enum
    f(21, 7164, 13, K::Int, S::One, NULLABLE, 0), // maxProperties
    f(22, 7190, 13, K::Int, S::One, NULLABLE, 0), // minProperties
    f(23, 95, 8, K::String, S::Repeated, NULLABLE, 0), // required
    f(24, 10935, 5, K::SchemaOrArray, S::One, NULLABLE, 702), // items
    f(25, 10890, 5, K::Message, S::Repeated, NULLABLE, 701), // allOf
    f(26, 10950, 5, K::Message, S::Repeated, NULLABLE, 701), // oneOf
    f(27, 10895, 5, K::Message, S::Repeated, NULLABLE, 701), // anyOf
    f(28, 1178, 3, K::Message, S::One, NULLABLE, 701), // not
    f(29, 8929, 10, K::Message, S::Map, NULLABLE, 701), // properties
    f(30, 2404, 20, K::SchemaOrBool, S::One, NULLABLE, 703), // additionalProperties
    f(31, 4318, 17, K::Message, S::Map, NULLABLE, 701), // patternProperties
    f(32, 7546, 12, K::SchemaOrArray, S::Map, NULLABLE, 704), // dependencies
    f(33, 5408, 15, K::SchemaOrBool, S::One, NULLABLE, 703), // additionalItems
    f(34, 8209, 11, K::Message, S::Map, NULLABLE, 701), // definitions
    f(35, 7570, 12, K::Message, S::One, NULLABLE, 700), // externalDocs
    f(36, 10307, 7, K::Raw, S::One, NULLABLE, 0), // example
    f(37, 9998, 8, K::Bool, S::One, SKIP_ZERO, 0), // nullable
    f(38, 213, 36, K::Bool, S::One, NULLABLE, 0), // x-kubernetes-preserve-unknown-fields
    f(39, 438, 30, K::Bool, S::One, SKIP_ZERO, 0), // x-kubernetes-embedded-resource
    f(40, 985, 26, K::Bool, S::One, SKIP_ZERO, 0), // x-kubernetes-int-or-string
    f(41, 1011, 26, K::String, S::Repeated, NULLABLE, 0), // x-kubernetes-list-map-keys
    f(42, 2067, 22, K::String, S::One, NULLABLE, 0), // x-kubernetes-list-type
    f(43, 2383, 21, K::String, S::One, NULLABLE, 0), // x-kubernetes-map-type
    f(44, 1548, 24, K::Message, S::Repeated, NULLABLE, 706), // x-kubernetes-validations
    // 702 apiextensions/v1.JSONSchemaPropsOrArray
    f(1, 5777, 6, K::Message, S::One, REQUIRED | NULLABLE, 701), // Schema
    f(2, 7978, 11, K::Message, S::Repeated, REQUIRED | NULLABLE, 701), // JSONSchemas
    // 703 apiextensions/v1.JSONSchemaPropsOrBool
    f(1, 10608, 6, K::Bool, S::One, REQUIRED, 0), // Allows
    f(2, 5777, 6, K::Message, S::One, REQUIRED | NULLABLE, 701), // Schema
    // 704 apiextensions/v1.JSONSchemaPropsOrStringArray
    f(1, 5777, 6, K::Message, S::One, REQUIRED | NULLABLE, 701), // Schema
    f(2, 9718, 8, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // Property
    // 705 apiextensions/v1.SelectableField
    f(1, 9902, 8, K::String, S::One, REQUIRED, 0), // jsonPath
    // 706 apiextensions/v1.ValidationRule
    f(1, 10980, 4, K::String, S::One, REQUIRED, 0), // rule
    f(2, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(3, 4199, 17, K::String, S::One, SKIP_ZERO, 0), // messageExpression
    f(4, 10806, 6, K::String, S::One, NULLABLE, 0), // reason
    f(5, 9286, 9, K::String, S::One, SKIP_ZERO, 0), // fieldPath
    f(6, 5798, 15, K::Bool, S::One, NULLABLE, 0), // optionalOldSelf
    // 707 apiextensions/v1.WebhookConversion
    f(2, 7498, 12, K::Message, S::One, NULLABLE, 36), // clientConfig
    f(3, 1356, 24, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // conversionReviewVersions
    // 708 meta/v1.APIGroup
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 10198, 8, K::Message, S::Repeated, REQUIRED | NULLABLE, 718), // versions
    f(3, 5184, 16, K::Message, S::One, REQUIRED, 718), // preferredVersion
    f(4, 881, 26, K::Message, S::Repeated, NULLABLE, 731), // serverAddressByClientCIDRs
    // 709 meta/v1.APIGroupList
    f(1, 10704, 6, K::Message, S::Repeated, REQUIRED | NULLABLE, 708), // groups
    // 710 meta/v1.APIResource
    f(1, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(2, 8859, 10, K::Bool, S::One, REQUIRED, 0), // namespaced
    f(3, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    f(4, 11000, 5, K::Items, S::One, REQUIRED | NULLABLE, 92), // verbs
    f(5, 9029, 10, K::String, S::Repeated, NULLABLE, 0), // shortNames
    f(6, 7810, 12, K::String, S::One, REQUIRED, 0), // singularName
    f(7, 8669, 10, K::String, S::Repeated, NULLABLE, 0), // categories
    f(8, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(9, 1359, 7, K::String, S::One, SKIP_ZERO, 0), // version
    f(10, 3821, 18, K::String, S::One, SKIP_ZERO, 0), // storageVersionHash
    // 711 meta/v1.APIResourceList
    f(1, 7618, 12, K::String, S::One, REQUIRED, 0), // groupVersion
    f(2, 7837, 9, K::Message, S::Repeated, REQUIRED | NULLABLE, 710), // resources
    // 712 meta/v1.APIVersions
    f(1, 10198, 8, K::String, S::Repeated, REQUIRED | NULLABLE, 0), // versions
    f(2, 881, 26, K::Message, S::Repeated, REQUIRED | NULLABLE, 731), // serverAddressByClientCIDRs
    // 713 meta/v1.Condition
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 3803, 6, K::String, S::One, REQUIRED, 0), // status
    f(3, 3623, 18, K::Int, S::One, SKIP_ZERO, 0), // observedGeneration
    f(4, 3515, 18, K::Time, S::One, REQUIRED, 0), // lastTransitionTime
    f(5, 10806, 6, K::String, S::One, REQUIRED, 0), // reason
    f(6, 4199, 7, K::String, S::One, REQUIRED, 0), // message
    // 714 meta/v1.CreateOptions
    f(1, 10656, 6, K::String, S::Repeated, NULLABLE, 0), // dryRun
    f(3, 7594, 12, K::String, S::One, SKIP_ZERO, 0), // fieldManager
    f(4, 5618, 15, K::String, S::One, SKIP_ZERO, 0), // fieldValidation
    // 715 meta/v1.DeleteOptions
    f(1, 3479, 18, K::Int, S::One, NULLABLE, 0), // gracePeriodSeconds
    f(2, 7229, 13, K::Message, S::One, NULLABLE, 730), // preconditions
    f(3, 5120, 16, K::Bool, S::One, NULLABLE, 0), // orphanDependents
    f(4, 4386, 17, K::String, S::One, NULLABLE, 0), // propagationPolicy
    f(5, 10656, 6, K::String, S::Repeated, NULLABLE, 0), // dryRun
    f(6, 0, 48, K::Bool, S::One, NULLABLE, 0), // ignoreStoreReadErrorWithClusterBreakingPotential
    // 716 meta/v1.GetOptions
    f(1, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    // 717 meta/v1.GroupResource
    f(1, 2624, 5, K::String, S::One, REQUIRED, 0), // group
    f(2, 460, 8, K::String, S::One, REQUIRED, 0), // resource
    // 718 meta/v1.GroupVersionForDiscovery
    f(1, 7618, 12, K::String, S::One, REQUIRED, 0), // groupVersion
    f(2, 1359, 7, K::String, S::One, REQUIRED, 0), // version
    // 719 meta/v1.GroupVersionKind
    f(1, 2624, 5, K::String, S::One, REQUIRED, 0), // group
    f(2, 1359, 7, K::String, S::One, REQUIRED, 0), // version
    f(3, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    // 720 meta/v1.GroupVersionResource
    f(1, 2624, 5, K::String, S::One, REQUIRED, 0), // group
    f(2, 1359, 7, K::String, S::One, REQUIRED, 0), // version
    f(3, 460, 8, K::String, S::One, REQUIRED, 0), // resource
    // 721 meta/v1.LabelSelector
    f(1, 8330, 11, K::String, S::Map, NULLABLE, 0), // matchLabels
    f(2, 5040, 16, K::Message, S::Repeated, NULLABLE, 305), // matchExpressions
    // 722 meta/v1.ListMeta
    f(1, 10150, 8, K::String, S::One, SKIP_ZERO, 0), // selfLink
    f(2, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    f(3, 9798, 8, K::String, S::One, SKIP_ZERO, 0), // continue
    f(4, 3659, 18, K::Int, S::One, NULLABLE, 0), // remainingItemCount
    f(5, 9565, 9, K::Message, S::One, NULLABLE, 732), // shardInfo
    // 723 meta/v1.ListOptions
    f(1, 4131, 13, K::String, S::One, SKIP_ZERO, 0), // labelSelector
    f(2, 6969, 13, K::String, S::One, SKIP_ZERO, 0), // fieldSelector
    f(3, 11005, 5, K::Bool, S::One, SKIP_ZERO, 0), // watch
    f(4, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    f(5, 6730, 14, K::Int, S::One, NULLABLE, 0), // timeoutSeconds
    f(7, 7125, 5, K::Int, S::One, SKIP_ZERO, 0), // limit
    f(8, 9798, 8, K::String, S::One, SKIP_ZERO, 0), // continue
    f(9, 2903, 19, K::Bool, S::One, SKIP_ZERO, 0), // allowWatchBookmarks
    f(10, 2804, 20, K::String, S::One, SKIP_ZERO, 0), // resourceVersionMatch
    f(11, 4471, 17, K::Bool, S::One, NULLABLE, 0), // sendInitialEvents
    f(15, 7359, 13, K::String, S::One, SKIP_ZERO, 0), // shardSelector
    // 724 meta/v1.ManagedFieldsEntry
    f(1, 10412, 7, K::String, S::One, SKIP_ZERO, 0), // manager
    f(2, 8879, 9, K::String, S::One, SKIP_ZERO, 0), // operation
    f(3, 8066, 10, K::String, S::One, SKIP_ZERO, 0), // apiVersion
    f(4, 1607, 4, K::Time, S::One, NULLABLE, 0), // time
    f(6, 8749, 10, K::String, S::One, SKIP_ZERO, 0), // fieldsType
    f(7, 9846, 8, K::Raw, S::One, NULLABLE, 0), // fieldsV1
    f(8, 7834, 11, K::String, S::One, SKIP_ZERO, 0), // subresource
    // 725 meta/v1.ObjectMeta
    f(1, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 7606, 12, K::String, S::One, SKIP_ZERO, 0), // generateName
    f(3, 4233, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(4, 10150, 8, K::String, S::One, SKIP_ZERO, 0), // selfLink
    f(5, 11107, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    f(6, 2804, 15, K::String, S::One, SKIP_ZERO, 0), // resourceVersion
    f(7, 8799, 10, K::Int, S::One, SKIP_ZERO, 0), // generation
    f(8, 3995, 17, K::Time, S::One, SKIP_ZERO, 0), // creationTimestamp
    f(9, 4029, 17, K::Time, S::One, NULLABLE, 0), // deletionTimestamp
    f(10, 803, 26, K::Int, S::One, NULLABLE, 0), // deletionGracePeriodSeconds
    f(11, 10728, 6, K::String, S::Map, NULLABLE, 0), // labels
    f(12, 8044, 11, K::String, S::Map, NULLABLE, 0), // annotations
    f(13, 5813, 15, K::Message, S::Repeated, NULLABLE, 726), // ownerReferences
    f(14, 8769, 10, K::String, S::Repeated, NULLABLE, 0), // finalizers
    f(17, 7151, 13, K::Message, S::Repeated, NULLABLE, 724), // managedFields
    // 726 meta/v1.OwnerReference
    f(1, 11051, 4, K::String, S::One, REQUIRED, 0), // kind
    f(3, 4233, 4, K::String, S::One, REQUIRED, 0), // name
    f(4, 11107, 3, K::String, S::One, REQUIRED, 0), // uid
    f(5, 8066, 10, K::String, S::One, REQUIRED, 0), // apiVersion
    f(6, 777, 10, K::Bool, S::One, NULLABLE, 0), // controller
    f(7, 3299, 18, K::Bool, S::One, NULLABLE, 0), // blockOwnerDeletion
    // 727 meta/v1.PartialObjectMetadata
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    // 728 meta/v1.PartialObjectMetadataList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 727), // items
    // 729 meta/v1.PatchOptions
    f(1, 10656, 6, K::String, S::Repeated, NULLABLE, 0), // dryRun
    f(2, 10920, 5, K::Bool, S::One, NULLABLE, 0), // force
    f(3, 7594, 12, K::String, S::One, SKIP_ZERO, 0), // fieldManager
    f(4, 5618, 15, K::String, S::One, SKIP_ZERO, 0), // fieldValidation
    // 730 meta/v1.Preconditions
    f(1, 11107, 3, K::String, S::One, NULLABLE, 0), // uid
    f(2, 2804, 15, K::String, S::One, NULLABLE, 0), // resourceVersion
    // 731 meta/v1.ServerAddressByClientCIDR
    f(1, 8679, 10, K::String, S::One, REQUIRED, 0), // clientCIDR
    f(2, 881, 13, K::String, S::One, REQUIRED, 0), // serverAddress
    // 732 meta/v1.ShardInfo
    f(1, 9556, 8, K::String, S::One, REQUIRED, 0), // selector
    // 733 meta/v1.Status
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 3803, 6, K::String, S::One, SKIP_ZERO, 0), // status
    f(3, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(4, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(5, 10251, 7, K::Message, S::One, NULLABLE, 735), // details
    f(6, 11023, 4, K::Int, S::One, SKIP_ZERO, 0), // code
    // 734 meta/v1.StatusCause
    f(1, 10806, 6, K::String, S::One, SKIP_ZERO, 0), // reason
    f(2, 4199, 7, K::String, S::One, SKIP_ZERO, 0), // message
    f(3, 243, 5, K::String, S::One, SKIP_ZERO, 0), // field
    // 735 meta/v1.StatusDetails
    f(1, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(2, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(3, 11051, 4, K::String, S::One, SKIP_ZERO, 0), // kind
    f(4, 10626, 6, K::Message, S::Repeated, NULLABLE, 734), // causes
    f(5, 4454, 17, K::Int, S::One, SKIP_ZERO, 0), // retryAfterSeconds
    f(6, 11107, 3, K::String, S::One, SKIP_ZERO, 0), // uid
    // 736 meta/v1.TableOptions
    f(1, 7021, 13, K::String, S::One, SKIP_ZERO, 0), // includeObject
    // 737 meta/v1.UpdateOptions
    f(1, 10656, 6, K::String, S::Repeated, NULLABLE, 0), // dryRun
    f(2, 7594, 12, K::String, S::One, SKIP_ZERO, 0), // fieldManager
    f(3, 5618, 15, K::String, S::One, SKIP_ZERO, 0), // fieldValidation
    // 738 meta/v1.WatchEvent
    f(1, 2085, 4, K::String, S::One, REQUIRED, 0), // type
    f(2, 6520, 6, K::Raw, S::One, REQUIRED, 0), // object
    // 739 apiregistration/v1.APIService
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 725), // metadata
    f(2, 5328, 4, K::Message, S::One, REQUIRED, 741), // spec
    f(3, 3803, 6, K::Message, S::One, REQUIRED, 742), // status
    // 740 apiregistration/v1.APIServiceList
    f(1, 9934, 8, K::Message, S::One, REQUIRED, 722), // metadata
    f(2, 10935, 5, K::Message, S::Repeated, REQUIRED | NULLABLE, 739), // items
    // 741 apiregistration/v1.APIServiceSpec
    f(1, 669, 7, K::Message, S::One, NULLABLE, 743), // service
    f(2, 2624, 5, K::String, S::One, SKIP_ZERO, 0), // group
    f(3, 1359, 7, K::String, S::One, SKIP_ZERO, 0), // version
    f(4, 641, 21, K::Bool, S::One, SKIP_ZERO, 0), // insecureSkipTLSVerify
    f(5, 9774, 8, K::Bytes, S::One, SKIP_ZERO | NULLABLE, 0), // caBundle
    f(7, 2624, 20, K::Int, S::One, REQUIRED, 0), // groupPriorityMinimum
    f(8, 6083, 15, K::Int, S::One, REQUIRED, 0), // versionPriority
    // 742 apiregistration/v1.APIServiceStatus
    f(1, 7232, 10, K::Message, S::Repeated, NULLABLE, 57), // conditions
    // 743 apiregistration/v1.ServiceReference
    f(1, 4233, 9, K::String, S::One, SKIP_ZERO, 0), // namespace
    f(2, 4233, 4, K::String, S::One, SKIP_ZERO, 0), // name
    f(3, 3133, 4, K::Int, S::One, NULLABLE, 0), // port
];
